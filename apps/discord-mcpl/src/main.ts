import { openLog, runProgram, serve, variablesOf } from '@mcpl-bridges/chat/program';
import { ownerOf } from './bot-id.js';
import { check } from './check.js';
import { CONFIGURABLE, readConfig } from './config/config.js';
import { connectDiscord } from './connection.js';
import { inviteUrl } from './invite.js';
import { PROGRAM, VERSION } from './version.js';

runProgram({
  usage: {
    program: PROGRAM,
    purpose: 'Discord for AI agents over MCPL',
    variables: variablesOf(CONFIGURABLE),
  },
  version: VERSION,
  configure: readConfig,
  check,
  errands: {
    invite: {
      meaning: "print the address where a server's owner invites the bot",
      run: async ({ token }) => inviteUrl(token),
    },
  },
  serve: async (config, serving) => {
    const log = openLog(PROGRAM, config);
    await serve({ config, serving, owner: ownerOf(config), log, connect: (fail) => connectDiscord(config, log, fail) });
  },
});
