import type { z } from 'zod';
import { type FieldProblem, invalidParams } from './errors.js';

/** The first issue of a failed parse as `{field, reason}`, the shape every `-32602` of MCPL carries. */
export const firstProblem = (error: z.ZodError): FieldProblem => {
  const issue = error.issues[0];
  return {
    field: issue && issue.path.length > 0 ? issue.path.map(String).join('.') : 'params',
    reason: issue?.message ?? 'is not valid',
  };
};

/**
 * Parses `value` by `schema`.
 * @throws McplError -32602 with `data: {field, reason}` naming the first member that does not fit
 */
export const parseParams = <S extends z.ZodType>(schema: S, value: unknown): z.infer<S> => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidParams(firstProblem(parsed.error));
};
