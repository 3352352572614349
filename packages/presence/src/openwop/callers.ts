import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Whose token came with a request. */
export interface Caller {
  /** The hash of the token: what its streams are counted by. */
  readonly token: string;
  /** The platform's id of a user, or of an agent. */
  readonly id: string;
  /** Only what belongs to it is for this caller; absent: the operator's own, which has all scopes. */
  readonly tenant?: string;
}

const entry = z
  .strictObject({
    sha256: z.string().regex(/^[0-9a-f]{64}$/i, 'must be the SHA-256 of the token, 64 hexadecimal digits'),
    user: z.string().min(1).optional(),
    agent: z.string().min(1).optional(),
    tenant: z.string().min(1).optional(),
  })
  .refine(({ user, agent }) => (user === undefined) !== (agent === undefined), 'must name either user or agent');

const tokensFile = z.strictObject({ tokens: z.array(entry) });

/** By the hash of the token, in lower case. */
export type Callers = ReadonlyMap<string, Caller>;

/**
 * Reads `{"tokens":[{"sha256","user"} or {"sha256","agent"}, each with an optional "tenant"]}`.
 * @throws Error that names the entry and what is wrong with it
 */
export const readCallers = (text: string): Callers => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`is no JSON: ${(error as Error).message}`);
  }
  const parsed = tokensFile.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`${issue?.path.join('.') || 'the file'} ${issue?.message}`);
  }
  return new Map(
    parsed.data.tokens.map(({ sha256, user, agent, tenant }) => {
      const token = sha256.toLowerCase();
      return [token, { token, id: user ?? agent ?? '', ...(tenant === undefined ? {} : { tenant }) }];
    }),
  );
};

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The token of an `Authorization` header. */
export const bearerOf = (header: string | undefined): string | undefined => /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
