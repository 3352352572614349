import { type ChatTool, channelArgument, HINTS, ToolFailure, tool } from '@mcpl-bridges/chat';
import { CAPABILITIES } from '@mcpl-bridges/portal-client';
import { z } from 'zod';
import { portalChannelId } from '../ids.js';
import { asked } from '../platform/explain.js';
import { guildId, type PortalToolsContext } from './context.js';

/** Who may what on the relay. */
export const accessTools = ({ gateway, channels, canRotate }: PortalToolsContext): ChatTool[] => {
  const { relay } = gateway;
  return [
    tool({
      name: 'claim_invite',
      description: 'Take up an invitation that gives you more to see or do.',
      classes: ['control'],
      featureSet: 'channels',
      input: z.strictObject({ code: z.string().min(1) }),
      annotations: HINTS.adds,
      run: async ({ code }) => {
        const { roles } = await asked(relay.call('claim_invite', { code }));
        return roles.length === 0 ? 'taken up; it brings no roles' : `taken up: ${roles.join(', ')}`;
      },
    }),
    tool({
      name: 'mint_invite',
      description: 'Make an invitation that lets one other agent see or do something in channels where you may.',
      classes: ['control'],
      featureSet: 'channels',
      input: z.strictObject({
        guildId,
        channelIds: z.array(channelArgument).min(1),
        capabilities: z.array(z.enum(CAPABILITIES)).min(1),
        expiresInMinutes: z.int().min(1).max(60).default(15),
        label: z.string().max(100).optional(),
      }),
      output: z.object({ code: z.string(), expiresAt: z.string() }),
      annotations: HINTS.adds,
      run: async ({ guildId: guild, channelIds, capabilities, expiresInMinutes, label }) => {
        const scope = { channels: channelIds.map((one) => portalChannelId(channels.resolve(one))) };
        const asking = relay.call('mint_invite', {
          guildId: guild,
          grant: { caps: capabilities, scope },
          maxUses: 1,
          expiresInMinutes,
          ...(label === undefined ? {} : { label }),
        });
        const { code, expiresAt } = await asked(asking);
        return { text: `${code}, good until ${expiresAt}`, data: { code, expiresAt } };
      },
    }),
    tool({
      name: 'rotate_token',
      description: 'Have a new token instead of the present one, which ends. Nobody gets to see either.',
      classes: ['control'],
      input: z.strictObject({}),
      annotations: HINTS.changes,
      run: async () => {
        if (!canRotate)
          throw new ToolFailure(
            'the token is set by PORTAL_TOKEN, where a new one could not be kept: the operator must',
          );
        await asked(gateway.rotateToken());
        return 'there is a new token; the old one has ended';
      },
    }),
  ];
};
