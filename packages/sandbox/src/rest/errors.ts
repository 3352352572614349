import type { Json } from '../world/entities.js';

/** An error with Discord's own status, code and sentence. */
export class DiscordError extends Error {
  override readonly name = 'DiscordError';
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly errors?: Json,
  ) {
    super(message);
  }

  body(): Json {
    return { message: this.message, code: this.code, ...(this.errors ? { errors: this.errors } : {}) };
  }
}

export const unauthorized = (): DiscordError => new DiscordError(401, 0, '401: Unauthorized');
export const unknownChannel = (): DiscordError => new DiscordError(404, 10003, 'Unknown Channel');
export const unknownGuild = (): DiscordError => new DiscordError(404, 10004, 'Unknown Guild');
export const unknownMember = (): DiscordError => new DiscordError(404, 10007, 'Unknown Member');
export const unknownMessage = (): DiscordError => new DiscordError(404, 10008, 'Unknown Message');
export const unknownUser = (): DiscordError => new DiscordError(404, 10013, 'Unknown User');
export const unknownWebhook = (): DiscordError => new DiscordError(404, 10015, 'Unknown Webhook');
export const unknownInteraction = (): DiscordError => new DiscordError(404, 10062, 'Unknown interaction');
export const alreadyAnswered = (): DiscordError =>
  new DiscordError(400, 40060, 'Interaction has already been acknowledged.');
export const unknownEmoji = (): DiscordError => new DiscordError(400, 10014, 'Unknown Emoji');
export const maximumReactions = (): DiscordError =>
  new DiscordError(400, 30010, 'Maximum number of reactions reached (20)');
export const maximumPins = (): DiscordError => new DiscordError(400, 30003, 'Maximum number of pins reached (50)');
export const entityTooLarge = (): DiscordError => new DiscordError(413, 40005, 'Request entity too large');
export const missingAccess = (): DiscordError => new DiscordError(403, 50001, 'Missing Access');
export const notYourMessage = (): DiscordError =>
  new DiscordError(403, 50005, 'Cannot edit a message authored by another user');
export const emptyMessage = (): DiscordError => new DiscordError(400, 50006, 'Cannot send an empty message');
export const closedDms = (): DiscordError => new DiscordError(403, 50007, 'Cannot send messages to this user');
export const missingPermissions = (): DiscordError => new DiscordError(403, 50013, 'Missing Permissions');
export const tooOldToBulkDelete = (): DiscordError =>
  new DiscordError(400, 50034, 'You can only bulk delete messages that are under 14 days old.');
export const archivedThread = (): DiscordError => new DiscordError(400, 50083, 'Thread is archived');

/** 50035 with the one field that is wrong, nested as Discord nests it. */
export const invalidForm = (field: string, code: string, message: string): DiscordError =>
  new DiscordError(400, 50035, 'Invalid Form Body', { [field]: { _errors: [{ code, message }] } });
