"""The store's Lua scripts; each checks its preconditions before its first write (docs/design/storage.md#rules).

All keys have one hash tag. Keys that every call has are in KEYS. Those that only the data names (the records of a
change, an index's incident) are built from the same tag, so they are in the same slot. Replies are arrays; times are
milliseconds of Redis TIME, after a step of it is taken back (`bot.adapters.redis.clock`). Scripts that use due times
take as an argument by how much the caller's clock is ahead of it: 0 in production, more in the demo, which runs faster.
"""

from dataclasses import dataclass
from hashlib import sha1


@dataclass(frozen=True, slots=True)
class Script:
    """A script, its name in Redis, and whether repeating it is safe."""

    text: str
    sha: str
    repeatable: bool


_OLDER_SAMPLES = """
-- the samples of a pool but the newest, which its document has: one field each, so that a sample more is a field more
local function older(key)
  if not string.find(key, ':rec:pool:', 1, true) then return false end
  local found, all = {}, redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    if string.byte(all[i]) == 64 then found[#found + 1] = all[i + 1] end -- '@' and its time
  end
  return table.concat(found, ',')
end
"""


CLOCK = "{tailback}:clock"
"""By how many ms the clock of all processes is ahead of the server's, since that has stepped; nothing: by none."""
STEP_MS = 5000
"""A smaller step is a delay of that length at most; a call may take 2 s, and clocks drift."""
_TIME = f"""
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000) + tonumber(redis.call('GET', '{CLOCK}') or 0)
"""
_EXPECTED = f"""
-- the last argument is what the caller's own clock makes of it: when the two part, nothing is read or written by either
local expected = tonumber(ARGV[#ARGV])
if expected and math.abs(now - expected) > {STEP_MS} then return {{'stepped'}} end
"""


def script(text: str, *, repeatable: bool = True, ahead: bool = False) -> Script:
    """The script with the time of Redis as `now`, or with the caller's time if it is to be `ahead`.

    Its last argument is what the caller's clock expects, and empty if it does not know (`RedisLink.run` adds it).
    """
    shifted = "now = now + tonumber(ARGV[#ARGV - 1])\n" if ahead else ""
    whole = f"{_TIME.lstrip()}{_EXPECTED}{shifted}{text.strip()}"
    return Script(whole, sha1(whole.encode(), usedforsecurity=False).hexdigest(), repeatable)


SYNC = script(
    """
-- KEYS: clock, when somebody looked last, due
-- ARGV: what the caller expects, its machine's time, '1' while nothing is open, how far ahead kinds may be due, ''
-- returns now, the shift, by how much the server's clock stepped, and how many due times were too far ahead
local shift = tonumber(redis.call('GET', KEYS[1]) or 0)
local server, wanted = now - shift, tonumber(ARGV[1])
local machine, seen = tonumber(ARGV[2]), tonumber(redis.call('GET', KEYS[2]) or 0)
local near = 15000 -- everybody looks every 10 s
local stepped = 0
if wanted then
  -- a process that was paused is wrong by itself: the others have looked meanwhile, and agree with the server
  if math.abs(now - wanted) > STEP_MS and math.abs(now - seen) > near then stepped = now - wanted end
elseif seen - now > STEP_MS then -- it stepped back while nobody ran; how long that was, the machine may know
  stepped = now - seen
  if machine >= seen and machine - seen < 31 * 86400000 then stepped = now - machine end
end
shift = shift - stepped
if ARGV[3] == '1' and stepped == 0 and math.abs(machine - server) <= STEP_MS then
  -- forwards at once; backwards by going slower, so that nothing which is planned or paused comes later than planned
  shift = math.max(0, shift - math.floor(math.max(0, now - seen) / 4))
end
if math.abs(shift) <= STEP_MS and stepped ~= 0 then shift = 0 end
now = server + shift
if shift == 0 then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], shift) end
-- one that has just begun cannot tell a step from a time when nobody ran, so it does not speak for the others
if wanted or seen == 0 or math.abs(now - seen) <= near then redis.call('SET', KEYS[2], now) end
local late, bounds = 0, cjson.decode(ARGV[4])
local soonest = math.huge
for _, most in pairs(bounds) do soonest = math.min(soonest, most) end
if soonest < math.huge then
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], now + soonest, '+inf', 'LIMIT', 0, 10000)) do
    local most = bounds[string.match(member, '^%a+')]
    if most and tonumber(redis.call('ZSCORE', KEYS[3], member)) > now + most then
      redis.call('ZADD', KEYS[3], now, member)
      late = late + 1
    end
  end
end
return {now, shift, stepped, late}
""".replace("STEP_MS", str(STEP_MS))
)

COMMIT = script(
    """
-- KEYS: request, hw, due, audit, audit head, this process's own hw
-- ARGV: the change as JSON, the document of each of its puts, ahead
local applied = redis.call('GET', KEYS[1])
if applied then return {'ok', tonumber(applied), 1} end

local change = cjson.decode(ARGV[1])
local function key(kind, name) return '{tailback}:' .. kind .. ':' .. name end
for _, mark in ipairs(change.marks) do
  local by = redis.call('GET', key('once', mark))
  if by then return {'once', by} end
end
for _, put in ipairs(change.puts) do
  put.key = key('rec', put.member)
  put.known = redis.call('HMGET', put.key, 'version', 'fence', 'claimed_until', 'again')
  if (put.known[1] or '0') ~= put.version then return {'conflict', put.member .. ' changed'} end
  if put.fence and put.known[2] ~= put.fence then return {'conflict', put.member .. ' is claimed by somebody else'} end
end
for _, same in ipairs(change.unchanged) do
  local version = redis.call('HGET', key('rec', same[1]), 'version') or '0'
  if version ~= same[2] then return {'conflict', same[1] .. ' changed'} end
end
for _, point in ipairs(change.points) do
  local id = redis.call('GET', key('idx', point.index)) or ''
  if id ~= '' and point.expected == '' and string.sub(id, 1, 1) ~= '@' then
    local kept = redis.call('EXISTS', key('rec', 'inc:' .. id), key('rec', 'act:' .. id), key('rec', 'pool:' .. id),
                            key('rec', 'digest:' .. id))
    if kept == 0 then id = '' end -- what it points to is deleted
  end
  if id ~= point.expected then return {'conflict', 'an index points elsewhere'} end
end
for _, joined in ipairs(change.joins) do redis.call('SCARD', key('set', joined[1])) end
for _, left in ipairs(change.leaves) do redis.call('SCARD', key('set', left[1])) end
for _, listed in ipairs(change.listed) do redis.call('ZCARD', key('list', listed[1])) end
local head, last_id = '', ''
-- others may have counted hw up again since this process's last commit was lost
local gone = change.mine > tonumber(redis.call('GET', KEYS[6]) or 0)
if #change.entries > 0 then
  head = redis.call('GET', KEYS[5]) or ''
  local mine = change.last[1] ~= '' and redis.call('XRANGE', KEYS[4], change.last[1], change.last[1])
  if mine and not (mine[1] and mine[1][2][4] == change.last[2]) then
    return {'trail', gone and 0 or tonumber(redis.call('GET', KEYS[2]) or 0)} -- the writer's last entry is not there
  end
  if change.first and head ~= '' then return {'head', head} end
  redis.call('XLEN', KEYS[4])
end
local earliest = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]

-- the first write is one that a full memory refuses, so that it refuses all or nothing
local hw = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], hw, 'PX', 120000) -- a request is repeated within 2 s or never
redis.call('SET', KEYS[6], hw, 'PX', change.mine_ms)
local soonest = nil
local function look(member, at)
  redis.call('ZADD', KEYS[3], at, member)
  if not soonest or at < soonest then soonest = at end
end
local function look_sooner(member, at)
  local planned = redis.call('ZSCORE', KEYS[3], member)
  if not planned or at < tonumber(planned) then look(member, at) end
end
for _, mark in ipairs(change.marks) do redis.call('SET', key('once', mark), change.mark_value, 'PX', 86400000) end
for i, put in ipairs(change.puts) do
  redis.call('HSET', put.key, 'doc', ARGV[1 + i], 'version', put.version + 1)
  if put.fence and put.how == 'extend' then
    redis.call('HSET', put.key, 'claimed_until', now + change.lease, 'open_claim', now)
    redis.call('ZADD', KEYS[3], now + change.lease, put.member)
  elseif put.fence then
    redis.call('HSET', put.key, 'fence', '', 'claimed_until', 0, 'again', 0)
    if put.how == 'release' then redis.call('HSET', put.key, 'open_claim', 0)
    elseif put.unsettled then redis.call('HSET', put.key, 'open_claim', now - put.unsettled) end
    if put.known[4] == '1' then look(put.member, now)
    elseif put.delay then look(put.member, now + put.delay)
    else redis.call('ZREM', KEYS[3], put.member) end
  elseif (tonumber(put.known[3]) or 0) > now then
    redis.call('HSET', put.key, 'again', 1)
  elseif put.delay then look_sooner(put.member, now + put.delay)
  else redis.call('ZREM', KEYS[3], put.member) end
  if put.keep then redis.call('PEXPIRE', put.key, put.keep)
  elseif put.known[1] or put.fence then redis.call('PERSIST', put.key) end
  for _, sample in ipairs(put.samples) do
    if sample[2] == '' then redis.call('HDEL', put.key, sample[1]) else redis.call('HSET', put.key, unpack(sample)) end
  end
end
for _, point in ipairs(change.points) do
  if point.to == '' then redis.call('DEL', key('idx', point.index))
  else redis.call('SET', key('idx', point.index), point.to) end
end
for _, joined in ipairs(change.joins) do redis.call('SADD', key('set', joined[1]), joined[2]) end
for _, left in ipairs(change.leaves) do redis.call('SREM', key('set', left[1]), left[2]) end
for _, member in ipairs(change.wakes) do
  local record = key('rec', member)
  if (tonumber(redis.call('HGET', record, 'claimed_until')) or 0) > now then redis.call('HSET', record, 'again', 1)
  else look_sooner(member, now) end
end
for _, entry in ipairs(change.entries) do
  last_id = redis.call('XADD', KEYS[4], '*', 'entry', entry[1], 'hash', entry[2])
  redis.call('SET', KEYS[5], entry[2])
end
for _, listed in ipairs(change.listed) do
  local list, stay = key('list', listed[1]), listed[3]
  redis.call('ZREMRANGEBYSCORE', list, '-inf', now)
  redis.call('ZADD', list, now + stay, listed[2])
  if stay > redis.call('PTTL', list) then redis.call('PEXPIRE', list, stay) end
end
local woke = soonest and (soonest <= now or not earliest or soonest < tonumber(earliest))
-- a user that may not publish is no reason to fail when all is written: work is found by polling then
if woke then redis.pcall('PUBLISH', '{tailback}:wake', change.sender) end
return {'ok', gone and 0 or hw, woke and 1 or 0, head, last_id}
""",
    ahead=True,
)

CLAIM = script(
    """
-- KEYS: due, fence, hw, this process's own hw   ARGV: most, lease, record prefix, what it committed last, ahead
-- returns now, hw, ms until the next is due (-1: none), then member, fence, document, version and open claim of each
local claimed = {}
local hw = tonumber(redis.call('GET', KEYS[3]) or 0)
if tonumber(ARGV[4]) > tonumber(redis.call('GET', KEYS[4]) or 0) then hw = 0 end
local lease = tonumber(ARGV[2])
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])) do
  local key = ARGV[3] .. member
  local record = redis.call('HMGET', key, 'doc', 'version', 'open_claim')
  local kind = string.match(member, '^%a+')
  if not record[1] and (kind == 'inc' or kind == 'act') then
    redis.call('ZREM', KEYS[1], member)
  else
    local fence = redis.call('INCR', KEYS[2])
    redis.call('HSET', key, 'fence', fence, 'claimed_until', now + lease, 'open_claim', now, 'again', 0)
    redis.call('ZADD', KEYS[1], now + lease, member)
    if not record[1] then redis.call('PEXPIRE', key, 86400000) end
    local version, opened = tonumber(record[2] or 0), tonumber(record[3] or 0)
    claimed[#claimed + 1] = {member, fence, record[1], version, opened}
  end
end
local next_due = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
local wait = -1
if next_due then wait = math.max(0, tonumber(next_due) - now) end
return {now, hw, wait, claimed}
""",
    repeatable=False,
    ahead=True,
)

GIVE_BACK = script(
    """
-- KEYS: record, due   ARGV: member, fence, delay, ahead: ends a claim without reading or writing its document
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[2] then return {0} end
redis.call('HSET', KEYS[1], 'fence', '', 'claimed_until', 0)
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[3]), ARGV[1])
return {1}
""",
    ahead=True,
)

OPEN_UNDER = script("""
-- KEYS: mark, index, ended alerts   ARGV: prefix of incident records
local id = redis.call('GET', KEYS[2])
local record = {false, false}
if id then record = redis.call('HMGET', ARGV[1] .. id, 'doc', 'version') end
local ended = redis.call('HMGET', KEYS[3], 'doc', 'version')
return {redis.call('EXISTS', KEYS[1]), id, record[1], record[2], ended[1], ended[2]}
""")

LISTED = script(
    """
-- KEYS: list   ARGV: ahead; returns whose time is not over
return redis.call('ZRANGEBYSCORE', KEYS[1], now + 1, '+inf')
""",
    ahead=True,
)

READ = script(
    _OLDER_SAMPLES
    + """
-- KEYS: records   ARGV: 1 to leave out older samples, then what the reader knows of each (version:SHA-1 of it)
-- returns document, version and older samples of each; 1 instead of the document where the reader knows it
local out = {}
for i = 1, #KEYS do
  local record = redis.call('HMGET', KEYS[i], 'doc', 'version')
  local known = record[1] and record[2] and ARGV[1 + i] ~= ''
  if known and ARGV[1 + i] == record[2] .. ':' .. redis.sha1hex(record[1]) then out[i] = {1, record[2], false}
  else out[i] = {record[1], record[2], ARGV[1] == '0' and older(KEYS[i])} end
end
return out
"""
)
