/**
 * The store's steps as Lua, so that a commit happens whole or not at all. Every key of one binding carries the same hash
 * tag and therefore lives in one slot of a cluster.
 *
 * Two values guard it. `fence` is `<token> <holder>` of the instance that took the lease last: any other was taken over.
 * `commits` counts the holder's commits: where it is behind, Redis has lost some (a crash, a fail-over).
 */
export const KEY_NAMES = ['fence', 'lease', 'schema', 'commits', 'log', 'waiting', 'dead', 'clock'] as const;

/** The clock of a server may be set back by so little without anybody minding, ms: retry deadlines have a larger margin. */
const CLOCK_TOLERANCE_MS = 5000;

/** ARGV begins with the token and the holder. */
const PREAMBLE = `${KEY_NAMES.map((name, i) => `local ${name} = KEYS[${i + 1}]`).join('\n')}
local token, me = tonumber(ARGV[1]), ARGV[2]
local held, owner = 0, ''
local found = redis.call('GET', fence)
if found then
  local number, name = string.match(found, '^(%d+) (.*)$')
  held, owner = tonumber(number), name
end
local taken_over = held > token or (held == token and owner ~= me)
`;

export const SCRIPTS = {
  /** ARGV: 0, holder, lease in ms, schema. @returns 1 and the token, or 0, the holder and how long it may hold on, ms */
  leaseTake: `${PREAMBLE}
local shape = tonumber(redis.call('GET', schema) or 0)
if shape > tonumber(ARGV[4]) then return redis.error_reply('MCPL NEWER ' .. shape) end
local holder = redis.call('GET', lease)
if holder then return { 0, holder, redis.call('PTTL', lease) } end
redis.call('SET', lease, me, 'PX', ARGV[3])
redis.call('DEL', commits)
redis.call('SET', fence, string.format('%.0f %s', held + 1, me))
return { 1, held + 1 }`,

  /** ARGV: token, holder, lease in ms. @returns 1, or 0 when another has taken over */
  leaseRenew: `${PREAMBLE}
if taken_over then return 0 end
redis.call('SET', lease, me, 'PX', ARGV[3])
return 1`,

  /** ARGV: token, holder. */
  leaseGive: `${PREAMBLE}
if held == token and owner == me then redis.call('DEL', lease) end
return 1`,

  /**
   * Writes a record of the log. KEYS beyond the named ones are those of `record` steps. ARGV: token, holder, number of
   * this commit, whether the record is all there is, the record's number, the record, how many occurrences wait then,
   * how many dead letters are kept; then lists, each after its length: fields of the log that go, dead letters, and for
   * each further key a value (empty: none) and for how long it is kept in ms (empty: for good).
   *
   * When the record was kept is told by Redis' own clock, so that a restart elsewhere can still bound the time. `clock` is
   * `<run> <latest time>`: when the clock goes back, another run begins, and of what was kept in an earlier one nobody
   * knows how long ago that was. A commit that is made again has a later moment, as nothing was sent before it was
   * confirmed, and buries nobody twice.
   * @returns the moment: `<ms> <run>`
   */
  storeCommit: `${PREAMBLE}
if taken_over then return redis.error_reply('MCPL TAKENOVER') end
local number = tonumber(ARGV[3])
local done = tonumber(redis.call('GET', commits) or 0)
if ARGV[4] == '1' then
  redis.call('SET', fence, string.format('%.0f %s', token, me))
  redis.call('DEL', log)
elseif held < token or done < number - 1 then
  return redis.error_reply('MCPL LOSTWRITES')
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local run, latest = string.match(redis.call('GET', clock) or '1 0', '^(%d+) (%d+)$')
if now + ${CLOCK_TOLERANCE_MS} < tonumber(latest) then run = run + 1 end
local moment = string.format('%.0f %.0f', now, run)
redis.call('SET', clock, string.format('%.0f %.0f', run, now))
redis.call('SET', commits, number)
redis.call('HSET', log, ARGV[5], ARGV[6], ARGV[5] .. '@', moment)
redis.call('SET', waiting, ARGV[7])
local i = 9
for _ = 1, tonumber(ARGV[i]) do
  i = i + 1
  redis.call('HDEL', log, ARGV[i], ARGV[i] .. '@')
end
i = i + 1
for _ = 1, tonumber(ARGV[i]) do
  i = i + 1
  if done < number then
    redis.call('RPUSH', dead, ARGV[i])
    redis.call('LTRIM', dead, -tonumber(ARGV[8]), -1)
  end
end
for k = ${KEY_NAMES.length + 1}, #KEYS do
  local value, keep = ARGV[i + 1], ARGV[i + 2]
  if value == '' then redis.call('DEL', KEYS[k])
  elseif keep == '' then redis.call('SET', KEYS[k], value)
  else redis.call('SET', KEYS[k], value, 'PX', keep) end
  i = i + 2
end
return moment`,
} as const;
