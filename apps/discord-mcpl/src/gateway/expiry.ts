/** Whether a link to a file of Discord's has ended: it says so itself, as `ex`, in seconds and hexadecimal. */
export const isExpired = (url: string, now: number): boolean => {
  const expires = URL.canParse(url) ? Number.parseInt(new URL(url).searchParams.get('ex') ?? '', 16) : Number.NaN;
  return expires * 1000 <= now;
};
