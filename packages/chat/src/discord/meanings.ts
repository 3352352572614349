/** What each refusal of Discord means for whoever wanted to post, in a sentence it can act on. */
const BY_CODE: Readonly<Record<number, string>> = {
  10003: 'this channel does not exist any more',
  10004: 'this server does not exist any more, or the bot is no longer in it',
  10008: 'this message does not exist any more',
  10013: 'there is no such user',
  10014: 'there is no such emoji here; use one character, or name:id of an emoji of this server',
  20016: 'slow mode is on in this channel; wait before posting again',
  30010: 'this message has the most reactions it can have',
  40005: 'the file is too large for Discord; post a smaller one or a link',
  50005: 'only whoever posted a message can edit it',
  50001: 'the bot cannot see this channel; someone must grant it View Channel',
  50006: 'Discord takes no empty message; write some text',
  50007: 'this user accepts no direct messages from the bot',
  50008: 'this kind of channel takes no messages',
  50013: 'the bot may not do that here; someone must grant it the permission',
  50035: 'Discord does not accept the form of this message',
  50083: 'this thread is archived; it must be reopened before anyone can post in it',
};

/** A refusal of Discord by its number, as a sentence; `undefined` for one that nobody knows. */
export const discordMeaning = (code: number): string | undefined => {
  const meaning = BY_CODE[code];
  return meaning && `${meaning} (Discord ${code})`;
};
