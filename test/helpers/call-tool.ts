import type { Scene } from './scene.js';

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Record<string, unknown> | undefined;
}

/** Calls a tool of the bridge as the agent would. */
export const callTool = async (
  { session }: Scene,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolAnswer> => {
  const { content, isError, structuredContent } = await session.mcp.callTool({ name, arguments: args });
  const [block] = content as { text?: string }[];
  return {
    text: block?.text ?? '',
    isError: isError === true,
    data: structuredContent as Record<string, unknown> | undefined,
  };
};
