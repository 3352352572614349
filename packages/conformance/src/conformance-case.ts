import type { CoalescingLeaves } from '@mcpl-bridges/protocol';
import type { HostDriver } from './host-port.js';
import type { ScenarioOptions } from './scenario.js';
import { Scene } from './scene.js';

type Leaf = Exclude<keyof CoalescingLeaves, 'retryWindowMs'>;

/** Opens hosts for a case; what is open when it ends is closed. */
export class Stage {
  private readonly scenes: Scene[] = [];

  constructor(readonly driver: HostDriver) {}

  async open(options: ScenarioOptions = {}): Promise<Scene> {
    const scene = await Scene.open(this.driver, options);
    this.scenes.push(scene);
    return scene;
  }

  async close(): Promise<void> {
    for (const scene of this.scenes.splice(0)) await scene.close();
  }
}

/** One case of RFC-006 §14. */
export interface ConformanceCase {
  /** Its number there; `20a` stands in revision 8 only. */
  readonly id: string;
  /** What must hold. */
  readonly title: string;
  /** The leaves of `eventCoalescing` that it is about. */
  readonly needs: readonly Leaf[];
  /** @throws where the host does otherwise */
  readonly run: (stage: Stage) => Promise<void>;
}
