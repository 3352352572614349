import { deepEqual, equal, ok } from 'node:assert/strict';
import type { ConformanceCase } from '../conformance-case.js';
import type { Scene } from '../scene.js';

const without = (texts: readonly (readonly string[])[], needle: string): boolean =>
  !JSON.stringify(texts).includes(needle);

/** A fallback within this is "within the bound": the render's time-out, a process border and a busy machine, ms. */
const BOUND_MS = 5000;

const inTime = async (scene: Scene, act: () => Promise<readonly string[] | undefined>): Promise<void> => {
  const before = performance.now();
  deepEqual(await act(), ['fallback']);
  ok(performance.now() - before < BOUND_MS, 'the inference waited too long for a render');
  equal(scene.scenario.observed.modelFailures, 0);
};

/** RFC-006 §5: notices are folded until a model is about to look, and rendered once. */
export const DEFERRED: readonly ConformanceCase[] = [
  {
    id: '16',
    title: 'three notices, one render, its text once and no fallback',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      scene.renders({ mode: 'immediate', text: 'rendered' });
      const outcomes = [];
      for (const n of [1, 2, 3]) outcomes.push((await scene.notice(`fallback ${n}`)).outcome);
      deepEqual(outcomes, ['first', 'replaced', 'replaced']);
      deepEqual(await scene.reads(), ['rendered']);
      equal(scene.rendered.length, 1);
    },
  },
  {
    id: '17',
    title: 'a render is given its notices oldest first, their data as it came, and the count of those not kept',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      scene.renders({ mode: 'immediate', text: 'rendered' });
      const data = [{ z: [1, 'é', null], a: { SECRET: true } }, 'SECRET', [0.1]];
      for (const [i, one] of data.entries()) await scene.notice('fallback', { eventId: `n${i}`, data: one });
      await scene.reads();
      const asked = scene.asked(0);
      deepEqual(
        asked.notices.map((notice) => [notice.eventId, JSON.stringify(notice.data)]),
        data.map((one, i) => [`n${i}`, JSON.stringify(one)]),
      );
      equal(asked.dropped, 0);

      for (let i = 0; i < 100; i++) await scene.notice('fallback', { key: 'L', eventId: `l${i}`, data: 'SECRET' });
      await scene.reads();
      const many = scene.asked(1);
      ok(many.notices.length >= 64, `only ${many.notices.length} notices were kept`);
      equal(many.notices.length + many.dropped, 100);
      deepEqual(
        many.notices.map(({ eventId }) => eventId),
        Array.from({ length: many.notices.length }, (_, i) => `l${many.dropped + i}`),
      );
      ok(without(scene.requests(), 'SECRET'), 'notice data reached a model');
    },
  },
  {
    id: '18',
    title: 'a second inference without notices renders nothing and reads the same',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      scene.renders({ mode: 'immediate', text: 'rendered' });
      await scene.notice('fallback');
      const first = await scene.reads();
      scene.renders({ mode: 'immediate', text: 'rendered otherwise' });
      deepEqual(await scene.reads(), first);
      equal(scene.rendered.length, 1);
    },
  },
  {
    id: '19',
    title: 'a notice after a render opens a batch of its own',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      scene.renders({ mode: 'immediate', text: 'one' });
      await scene.notice('fallback', { eventId: 'n1' });
      await scene.reads();
      scene.renders({ mode: 'immediate', text: 'two' });
      equal((await scene.notice('fallback', { eventId: 'n2' })).outcome, 'first');
      deepEqual(await scene.reads(), ['one', 'two']);
      deepEqual(scene.noticesOf(1), ['n2']);
    },
  },
  {
    id: '20',
    title: 'a render that is empty adds nothing; as the only cause it starts no inference',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      scene.renders({ mode: 'empty' });
      await scene.notice('fallback');
      equal(await scene.turn(), undefined);
      equal(scene.rendered.length, 1);
      equal(await scene.turn(), undefined);
      equal(scene.rendered.length, 1);
      await scene.notice('fallback');
      await scene.create('another cause', { key: 'L' });
      deepEqual(await scene.turn(), ['another cause']);
    },
  },
  {
    id: '20a',
    title: 'several batches that all come to nothing start no inference; one that does not starts one, with it alone',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      scene.renders({ mode: 'empty' });
      for (const key of ['K1', 'K2']) await scene.notice('fallback', { key });
      equal(await scene.turn(), undefined);
      scene.renders({ mode: 'empty', byKey: { K2: { mode: 'immediate', text: 'K2 rendered' } } });
      for (const key of ['K1', 'K2']) await scene.notice('fallback', { key });
      deepEqual(await scene.turn(), ['K2 rendered']);
      equal(scene.rendered.length, 4);
    },
  },
  {
    id: '21',
    title: 'late, failed or cut off, also before assembly: the fallback, within the bound',
    needs: ['deferred'],
    run: async (stage) => {
      const late = await stage.open();
      await late.notice('fallback');
      await inTime(late, async () => {
        await late.beginHeld(1);
        return late.join();
      });

      const failing = await stage.open();
      failing.renders({ mode: 'error' });
      await failing.notice('fallback');
      await inTime(failing, () => failing.turn());

      const cutOff = await stage.open();
      await cutOff.notice('fallback');
      await inTime(cutOff, async () => {
        await cutOff.beginHeld(1);
        await cutOff.scenario.disconnect();
        return cutOff.join();
      });

      const gone = await stage.open();
      await gone.notice('fallback');
      await gone.scenario.disconnect();
      await inTime(gone, () => gone.turn());
      equal(gone.rendered.length, 0);
    },
  },
  {
    id: '22',
    title: 'a notice during a render waits for the next one',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      await scene.notice('fallback', { eventId: 'n1' });
      await scene.beginHeld(1);
      equal((await scene.notice('fallback', { eventId: 'n2' })).outcome, 'first');
      deepEqual(await scene.release('one'), ['one']);
      deepEqual(scene.noticesOf(0), ['n1']);
      scene.renders({ mode: 'immediate', text: 'two' });
      deepEqual(await scene.turn(), ['one', 'two']);
      deepEqual(scene.noticesOf(1), ['n2']);
    },
  },
  {
    id: '23',
    title: 'a result that comes after the fallback changes nothing, though nobody has read it',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      scene.renders({ mode: 'held' });
      await scene.notice('fallback');
      await scene.scenario.run({ op: 'materialize', agent: 'agent' });
      const held = async () => (await scene.context()).map(({ content }) => content);
      deepEqual(await held(), ['fallback']);
      scene.scenario.release('late');
      // Something that the host answers after the late result has reached it.
      await scene.create('after', { key: 'L' });
      deepEqual(await held(), ['fallback', 'after']);
      deepEqual(await scene.reads(), ['fallback', 'after']);
    },
  },
  {
    id: '24',
    title: 'authority that lapses before or during a render leaves nothing of it',
    needs: ['deferred', 'channelScopedPush'],
    run: async (stage) => {
      const lapses = [
        { policy: { disabled: ['doc'] }, channel: undefined },
        { policy: { capabilities: ['tools', 'pushEvents', 'channels.register'] }, channel: 'chat' },
        { policy: { channels: ['elsewhere'] }, channel: 'chat' },
      ];
      for (const { policy, channel } of lapses) {
        const place = channel === undefined ? {} : { channel };
        const during = await stage.open();
        await during.register();
        await during.notice('fallback', place);
        await during.beginHeld(1);
        await during.scenario.setPolicy(policy);
        equal(await during.release('rendered'), undefined);
        deepEqual(await during.reads(), []);

        const before = await stage.open();
        await before.register();
        await before.notice('fallback', place);
        await before.scenario.setPolicy(policy);
        equal(await before.turn(), undefined);
        equal(before.rendered.length, 0);
        deepEqual(await before.reads(), []);
      }
    },
  },
  {
    id: '25',
    title: 'one render serves every context of its batch',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open({ agents: ['A', 'B'] });
      await scene.notice('fallback');
      await scene.beginHeld(1);
      deepEqual(await scene.release('rendered'), ['rendered']);
      deepEqual(scene.requests('B'), [['rendered']]);
      equal(scene.rendered.length, 1);
    },
  },
  {
    id: '26',
    title: 'a server that renders may not ask for an inference',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      scene.renders({ mode: 'inference-request', text: 'rendered' });
      await scene.notice('fallback');
      deepEqual(await scene.reads(), ['rendered']);
      ok(scene.rendered[0]?.inferenceResponse?.error, 'inference/request was answered during a render');
    },
  },
  {
    id: '27',
    title: 'a server that has only its notices can say how many it was not given',
    needs: ['deferred'],
    run: async (stage) => {
      const scene = await stage.open();
      scene.renders({ mode: 'notice-summary', text: 'activity' });
      for (let i = 0; i < 100; i++) await scene.notice('fallback');
      const [text] = await scene.reads();
      const { notices, dropped } = scene.asked(0);
      ok(dropped > 0);
      equal(text, `activity NOTICES=${notices.length} DROPPED=${100 - notices.length}`);
    },
  },
];
