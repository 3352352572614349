import { describe, expect, it } from 'vitest';
import { closeTags, tag } from './tags.js';

describe('the closure of tags', () => {
  it.each([
    [['chat:mention'], ['chat:mention', 'chat:addressed']],
    [['chat:reply'], ['chat:reply', 'chat:addressed']],
    [['chat:dm'], ['chat:dm', 'chat:addressed', 'chat:private']],
    [
      ['chat:ambient', 'chat:mention'],
      ['chat:mention', 'chat:addressed'],
    ],
    [['chat:ambient'], ['chat:ambient']],
    [['a:b', 'a:b'], ['a:b']],
  ])('%j becomes %j', (tags, closed) => {
    expect(closeTags(tags)).toEqual(closed);
  });
});

it('a tag has a namespace', () => {
  expect(tag.safeParse('mention').success).toBe(false);
  expect(tag.safeParse('chat:mention').success).toBe(true);
  expect(tag.safeParse('portal:role=admin').success).toBe(true);
});
