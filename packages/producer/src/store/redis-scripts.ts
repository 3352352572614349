/**
 * The store's steps as Lua, so that each happens whole or not at all. Every key of one binding carries the same hash
 * tag and therefore lives in one slot of a cluster. KEYS: 1 seq, 2 order, 3 entries, 4 wires, 5 attempts, 6 dead,
 * 7 records. Records are passed as pairs at the end of ARGV; an empty value deletes.
 */
const WRITE_RECORDS = `
local function write_records(from)
  for i = from, #ARGV, 2 do
    if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[7], ARGV[i])
    else redis.call('HSET', KEYS[7], ARGV[i], ARGV[i + 1]) end
  end
end
local function forget(seq)
  redis.call('ZREM', KEYS[2], seq)
  redis.call('HDEL', KEYS[3], seq)
  redis.call('HDEL', KEYS[4], seq)
  redis.call('HDEL', KEYS[5], seq)
end
`;

export const KEY_NAMES = ['seq', 'order', 'entries', 'wires', 'attempts', 'dead', 'records'] as const;

export const SCRIPTS = {
  storeAppend: `${WRITE_RECORDS}
local seq = redis.call('INCR', KEYS[1])
redis.call('ZADD', KEYS[2], seq, seq)
redis.call('HSET', KEYS[3], seq, ARGV[1])
write_records(2)
return seq`,

  storeAmend: `${WRITE_RECORDS}
if redis.call('HEXISTS', KEYS[3], ARGV[1]) == 1 then redis.call('HSET', KEYS[3], ARGV[1], ARGV[2]) end
write_records(3)
return 1`,

  storeForget: `${WRITE_RECORDS}
forget(ARGV[1])
write_records(2)
return 1`,

  // The first attempt is recorded once, by Redis' own clock, so that a restart elsewhere can still bound the time.
  storeAttempt: `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSETNX', KEYS[4], ARGV[1], ARGV[2])
local window = tonumber(ARGV[3])
local first = now
local known = redis.call('HGET', KEYS[5], ARGV[1])
if known then
  local at, shortest = string.match(known, '^(%d+):(%d+)$')
  first = tonumber(at)
  window = math.min(window, tonumber(shortest))
end
redis.call('HSET', KEYS[5], ARGV[1], string.format('%.0f:%.0f', first, window))
return { now - first, window }`,

  storeBury: `${WRITE_RECORDS}
local entry = redis.call('HGET', KEYS[3], ARGV[1])
if not entry then return 0 end
forget(ARGV[1])
redis.call('RPUSH', KEYS[6], cjson.encode({ ARGV[2], entry }))
redis.call('LTRIM', KEYS[6], -tonumber(ARGV[3]), -1)
return 1`,
} as const;
