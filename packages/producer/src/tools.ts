import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';

/** The tools a server offers. `call` never throws for a failure the model should read: it returns `isError`. */
export interface Tools {
  list(): readonly Tool[];
  /** The feature set a tool belongs to: hosts that do not enable it do without the tool. `undefined`: always there. */
  featureSetOf?(name: string): string | undefined;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<CallToolResult>;
}
