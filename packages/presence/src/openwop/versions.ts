/** The contracts that are served, by major. */
export const VERSIONS = { 1: '1.0', 2: '2.0' } as const;

export type Major = keyof typeof VERSIONS;
const MAJORS: readonly Major[] = [1, 2];
export const SERVED = MAJORS.map((major) => VERSIONS[major]);

/** Which contract a request without `OpenWOP-Version` gets: while OpenWOP 1 is served, that one. */
export const PREFERRED: Major = 1;

/** Reads `OpenWOP-Version`: a major, or one with its minor. `undefined` for one that is not served. */
export const majorOf = (header: string): Major | undefined => {
  const named = /^(\d+)(?:\.\d+)?$/.exec(header.trim())?.[1];
  return MAJORS.find((major) => String(major) === named);
};
