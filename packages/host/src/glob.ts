/** A glob as a pattern for the whole text: `*` stands for any run of characters, everything else for itself. */
export const globPattern = (glob: string): RegExp => {
  const parts = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
};
