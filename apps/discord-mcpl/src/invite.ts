import { ConfigError } from '@mcpl-bridges/chat/program';
import { PermissionFlagsBits } from 'discord.js';
import { botIdOf } from './bot-id.js';

/** What the bridge and its tools use. */
const PERMISSIONS = [
  PermissionFlagsBits.ViewChannel,
  PermissionFlagsBits.ReadMessageHistory,
  PermissionFlagsBits.SendMessages,
  PermissionFlagsBits.SendMessagesInThreads,
  PermissionFlagsBits.CreatePublicThreads,
  PermissionFlagsBits.AttachFiles,
  PermissionFlagsBits.AddReactions,
  PermissionFlagsBits.ManageMessages,
  PermissionFlagsBits.SendPolls,
];

/** Where a server's owner invites the bot. @throws ConfigError for a token that names no bot */
export const inviteUrl = (token: string): string => {
  const id = botIdOf(token);
  if (id === undefined)
    throw new ConfigError('DISCORD_TOKEN names no bot: copy it whole, with its three parts, from Bot › Reset Token');
  const permissions = PERMISSIONS.reduce((all, one) => all | one, 0n);
  return `https://discord.com/oauth2/authorize?client_id=${id}&scope=bot%20applications.commands&permissions=${permissions}`;
};
