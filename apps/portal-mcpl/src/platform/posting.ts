import { type NoncedPart, SendRefused } from '@mcpl-bridges/chat';
import { CallUnknown, type PortalMessage } from '@mcpl-bridges/portal-client';
import { relayMessageId } from '../ids.js';
import type { PortalGateway } from '../relay/gateway.js';
import { isPosted } from '../relay/sending.js';

const MAX_FILES = 10;
const MAX_FILE_BYTES = 8 * 1_048_576;

/** How long a post whose answer was lost waits for the relay to come back, ms. */
const RETURN_MS = 20_000;

/** Messages among which a post is looked for whose answer was lost. */
const LOOK_BACK = 25;

/** The relay's clock, or Discord's, may be behind by so much, ms. */
const SKEW_MS = 5000;

/**
 * Posts once, as far as anybody can know: relays take no nonces, so that what may stand there already is looked for before
 * it is posted again.
 */
export class Posting {
  constructor(private readonly gateway: PortalGateway) {}

  /** @returns the id of the message @throws SendRefused @throws CallRefused @throws CallUnknown @throws NotConnected */
  async once(container: string, part: NoncedPart): Promise<string> {
    checkFiles(part);
    const { relay } = this.gateway;
    const begunAt = this.gateway.now();
    const before = part.attemptedAt === undefined ? undefined : await this.find(container, part, part.attemptedAt);
    if (before !== undefined) return before;
    try {
      return await this.post(container, part);
    } catch (error) {
      if (!(error instanceof CallUnknown)) throw error;
      await relay.whenIn(RETURN_MS);
      return (await this.find(container, part, begunAt)) ?? (await this.post(container, part));
    }
  }

  private post(container: string, { text, files, replyTo, mentions }: NoncedPart): Promise<string> {
    const { relay, sending } = this.gateway;
    return sending.post(container, text, async () => {
      const { messageId } = await relay.call('send_message', {
        channelId: container,
        ...(text === '' ? {} : { content: text }),
        ...(replyTo === undefined ? {} : { replyToId: relayMessageId(container, replyTo) }),
        ...(mentions ? { mentionPersonaIds: mentions } : {}),
        ...(files.length === 0 ? {} : { files: files.map(encoded) }),
      });
      return messageId;
    });
  }

  /** A post of the persona's that stands there since then, and was not answered; `undefined` where none does. */
  private async find(container: string, { text }: NoncedPart, since: number): Promise<string | undefined> {
    const { relay, sending } = this.gateway;
    const found = await relay.history(container, LOOK_BACK);
    for (const message of [...found].reverse()) {
      const isRecent = Date.parse(message.createdAt) >= since - SKEW_MS;
      if (!isRecent || sending.isAnswered(message.id) || !isPosted(message, text)) continue;
      if (!(await this.isOurs(message))) continue;
      sending.answered(message.id);
      return message.id;
    }
    return undefined;
  }

  private async isOurs(message: PortalMessage): Promise<boolean> {
    const { personaId, name, sending } = this.gateway;
    const { author } = message;
    return author.kind === 'persona' ? author.personaId === personaId : sending.isOwn(message, name);
  }
}

const encoded = ({ name, bytes, mimeType }: NoncedPart['files'][number]) => ({
  name,
  bytes: Buffer.from(bytes).toString('base64'),
  contentType: mimeType,
});

const checkFiles = ({ files }: NoncedPart): void => {
  if (files.length > MAX_FILES)
    throw new SendRefused(
      `these are ${files.length} files; one message holds ${MAX_FILES}: send the others on their own`,
    );
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes > MAX_FILE_BYTES)
    throw new SendRefused(
      `the files have ${bytes} bytes together; a message holds ${MAX_FILE_BYTES}: send less, or a link`,
    );
};
