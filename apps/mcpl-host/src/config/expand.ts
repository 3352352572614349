type Env = Readonly<Record<string, string | undefined>>;

/** A variable that a configuration refers to and nobody has set. */
class UnsetVariable extends Error {
  override readonly name = 'UnsetVariable';
}

/**
 * Puts variables into every string of a JSON value: `${NAME}`, or `${NAME:-default}` where unset or empty.
 * @throws UnsetVariable for one that is not set and has no default
 */
export const expandVariables = (value: unknown, env: Env): unknown => {
  if (typeof value === 'string') return expandText(value, env);
  if (Array.isArray(value)) return value.map((member) => expandVariables(member, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expandVariables(member, env)]));
};

const expandText = (text: string, env: Env): string =>
  text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_whole, name: string, otherwise: string | undefined) => {
    const found = env[name] || otherwise;
    if (found === undefined) throw new UnsetVariable(`\${${name}} is not set`);
    return found;
  });
