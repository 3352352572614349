/**
 * Hosts that speak no MCPL and take `notifications/claude/channel`: what is said is a text with attributes, nobody answers,
 * and nothing is ever replaced (code.claude.com: channels reference).
 */
export const CHANNEL_NOTIFICATION = 'notifications/claude/channel';

/** What such a host must find in the server's capabilities, or it does not listen. */
export const CHANNEL_CAPABILITY = { 'claude/channel': {} } as const;
