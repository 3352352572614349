/** What somebody does in the demo's channel. `ref` names a message within the script. */
export type Step =
  | { readonly do: 'post'; readonly ref: string; readonly as: 'alice' | 'bob'; readonly text: string }
  | { readonly do: 'edit'; readonly ref: string; readonly text: string }
  | { readonly do: 'delete'; readonly ref: string }
  | { readonly do: 'turn'; readonly reply?: string };

export const SCRIPTS = {
  lifecycle: [
    { do: 'post', ref: 'deploy', as: 'alice', text: 'deploy at 5' },
    { do: 'edit', ref: 'deploy', text: 'deploy at 6' },
    { do: 'post', ref: 'ok', as: 'bob', text: 'ok' },
    { do: 'post', ref: 'slip', as: 'alice', text: 'never mind' },
    { do: 'delete', ref: 'slip' },
    { do: 'turn', reply: 'Understood: the deploy is at 6.' },
    { do: 'edit', ref: 'deploy', text: 'deploy at 7' },
    { do: 'turn' },
    { do: 'delete', ref: 'deploy' },
    { do: 'turn' },
  ],
} as const satisfies Record<string, readonly Step[]>;
