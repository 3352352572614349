import type { Channel } from '@mcpl-bridges/sandbox';
import { expect, vi } from 'vitest';
import { PORTAL, type PortalWay } from '../helpers/platforms.js';
import { openScene, type Scene } from '../helpers/scene.js';

export type PortalScene = Scene<PortalWay>;

export const SOON = { timeout: 15_000, interval: 20 };

export const open = (env: Record<string, string> = {}, platform = PORTAL) => openScene({ platform, env });

/** Everything that stands in a channel, as people see it. */
export const standing = ({ sandbox }: PortalScene, channel: Channel): string[] =>
  sandbox.history(channel).map(({ content }) => content);

/** Something happens while the bridge is not in the relay, and nothing of it waits there for it. */
export const away = async (scene: PortalScene, act: () => void): Promise<void> => {
  const { relay, persona } = scene.way;
  relay.accepts = false;
  relay.drop();
  await vi.waitFor(() => expect(relay.isPresent(persona)).toBe(false), SOON);
  await comesBack(scene, () => {
    act();
    relay.accepts = true;
  });
};

/** Resolves when the bridge is in the relay again, after `act`. */
export const comesBack = async (scene: PortalScene, act: () => void): Promise<void> => {
  const entries = () => scene.stderr().split('"msg":"in the relay"').length;
  const before = entries();
  act();
  await vi.waitFor(() => expect(entries()).toBeGreaterThan(before), SOON);
};
