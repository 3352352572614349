import { openLog, runProgram, serve, variablesOf } from '@mcpl-bridges/chat/program';
import { check } from './check.js';
import { CONFIGURABLE, readConfig } from './config/config.js';
import { connectPortal } from './connection.js';
import { ownerOf } from './credentials.js';
import { enroll } from './enroll.js';
import { PROGRAM, VERSION } from './version.js';

runProgram({
  usage: {
    program: PROGRAM,
    purpose: 'a Portal persona for AI agents over MCPL',
    variables: variablesOf(CONFIGURABLE),
  },
  version: VERSION,
  configure: readConfig,
  check,
  errands: {
    enroll: { meaning: 'take PORTAL_INVITE up as PORTAL_PERSONA_NAME, and keep the credentials', run: enroll },
  },
  serve: async (config, serving) => {
    const log = openLog(PROGRAM, config);
    await serve({ config, serving, owner: ownerOf(config), log, connect: (fail) => connectPortal(config, log, fail) });
  },
});
