/**
 * How instants are written for the agent: `minute` `2026-01-15 04:34 UTC`, `full` `2026-01-15T04:34:56-08:00
 * [America/Los_Angeles]`, `compact` `2026-01-15 04:34`, `time` `04:34`, `none` not at all.
 */
export const TIMESTAMP_STYLES = ['minute', 'full', 'compact', 'time', 'none'] as const;
export type TimestampStyle = (typeof TIMESTAMP_STYLES)[number];

/** Writes an ISO 8601 instant; empty where instants are not written. */
export type TellTime = (instant: string) => string;

export const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

/** @param zone an IANA time zone @throws RangeError for a zone that is none */
export const timeTeller = (zone = 'UTC', style: TimestampStyle = 'minute'): TellTime => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
    const date = `${part('year')}-${part('month')}-${part('day')}`;
    const time = `${part('hour')}:${part('minute')}`;
    switch (style) {
      case 'minute':
        return `${date} ${time} ${zone}`;
      case 'full':
        return `${date}T${time}:${part('second')}${offset(part('timeZoneName'))} [${zone}]`;
      case 'compact':
        return `${date} ${time}`;
      case 'time':
        return time;
      case 'none':
        return '';
    }
  };
};

/** `GMT-08:00` as `-08:00`, and bare `GMT` as `+00:00`. */
const offset = (name: string): string => name.slice('GMT'.length) || '+00:00';
