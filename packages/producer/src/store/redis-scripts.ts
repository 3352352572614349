/**
 * The store's steps as Lua, so that a commit happens whole or not at all. Every key of one binding carries the same hash
 * tag and therefore lives in one slot of a cluster.
 *
 * Two values guard it. `fence` is `<token> <holder>` of the instance that took the lease last: any other was taken over.
 * `commits` counts the holder's commits: where it is behind, Redis has lost some (a crash, a fail-over).
 */
export const KEY_NAMES = [
  'fence',
  'lease',
  'schema',
  'commits',
  'entries',
  'attempts',
  'dead',
  'last',
  'clock',
] as const;

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
   * KEYS beyond the named ones are those of records. ARGV: token, holder, number of this commit, whether everything is told
   * again, how many dead letters are kept, then the steps. The first attempt is recorded once, by Redis' own clock, so
   * that a restart elsewhere can still bound the time. `clock` is `<run> <latest time>`: when the clock goes back, another
   * run begins, and of what was attempted in an earlier one nobody knows how long ago that was.
   * @returns elapsed and window in ms, in turns, for each attempt; an elapsed time of -1 is unknown
   */
  storeCommit: `${PREAMBLE}
if taken_over then return redis.error_reply('MCPL TAKENOVER') end
local number = tonumber(ARGV[3])
if ARGV[4] == '1' then
  redis.call('SET', fence, string.format('%.0f %s', token, me))
elseif held < token or tonumber(redis.call('GET', commits) or 0) < number - 1 then
  return redis.error_reply('MCPL LOSTWRITES')
end
redis.call('SET', commits, number)
local now, run
local clocks = {}
local newest
local i = 6
while i <= #ARGV do
  local step, seq = ARGV[i], ARGV[i + 1]
  if step == 'append' then
    redis.call('HSET', entries, seq, ARGV[i + 2])
    newest = seq
    i = i + 3
  elseif step == 'attempt' then
    if not now then
      local time = redis.call('TIME')
      now = time[1] * 1000 + math.floor(time[2] / 1000)
      local number, latest = string.match(redis.call('GET', clock) or '1 0', '^(%d+) (%d+)$')
      run = tonumber(number)
      if now + ${CLOCK_TOLERANCE_MS} < tonumber(latest) then run = run + 1 end
      redis.call('SET', clock, string.format('%.0f %.0f', run, now))
    end
    local window = tonumber(ARGV[i + 2])
    local first = math.max(0, now - tonumber(ARGV[i + 3]))
    local wire = ARGV[i + 4]
    local known = redis.call('HGET', attempts, seq)
    local begun = run
    if known then
      local at, shortest, number, sent = string.match(known, '^(%d+):(%d+):(%d+):(.*)$')
      first = tonumber(at)
      window = math.min(window, tonumber(shortest))
      begun = tonumber(number)
      wire = sent
    end
    redis.call('HSET', attempts, seq, string.format('%.0f:%.0f:%.0f:', first, window, begun) .. wire)
    clocks[#clocks + 1] = begun == run and now - first or -1
    clocks[#clocks + 1] = window
    i = i + 5
  elseif step == 'forget' then
    redis.call('HDEL', entries, seq)
    redis.call('HDEL', attempts, seq)
    i = i + 2
  elseif step == 'amend' then
    if redis.call('HEXISTS', entries, seq) == 1 then redis.call('HSET', entries, seq, ARGV[i + 2]) end
    i = i + 3
  elseif step == 'bury' then
    local entry = redis.call('HGET', entries, seq)
    if entry then
      redis.call('HDEL', entries, seq)
      redis.call('HDEL', attempts, seq)
      redis.call('RPUSH', dead, cjson.encode({ ARGV[i + 2], entry }))
      redis.call('LTRIM', dead, -tonumber(ARGV[5]), -1)
    end
    i = i + 3
  else
    local key = KEYS[tonumber(seq)]
    if ARGV[i + 2] == '' then redis.call('DEL', key)
    elseif ARGV[i + 3] == '' then redis.call('SET', key, ARGV[i + 2])
    else redis.call('SET', key, ARGV[i + 2], 'PX', ARGV[i + 3]) end
    i = i + 4
  end
end
if newest then redis.call('SET', last, newest) end
return clocks`,
} as const;
