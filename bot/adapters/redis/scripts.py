"""The store's Lua scripts; each checks its preconditions before its first write (docs/design/storage.md#rules).

All keys have one hash tag. Keys known beforehand are in KEYS. Keys that only the data names (a due member's record, an
index's incident) are built from the same prefix, so they are in the same slot. Replies are arrays; times are
milliseconds of Redis TIME. Scripts that use due times take as their last argument by how much the caller's clock is
ahead of it: 0 in production, more in the demo, whose clock runs faster.
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


def script(text: str, *, repeatable: bool = True, ahead: bool = False) -> Script:
    """The script with the time of Redis as `now`, or with the caller's time if it is to be `ahead`."""
    clock = "local t = redis.call('TIME')\nlocal now = t[1] * 1000 + math.floor(t[2] / 1000)"
    whole = f"{clock}{' + tonumber(ARGV[#ARGV])' if ahead else ''}\n{text.strip()}"
    return Script(whole, sha1(whole.encode(), usedforsecurity=False).hexdigest(), repeatable)


COMMIT = script(
    """
-- KEYS: request, hw, due, audit, audit head; then marks, puts, indexes, joins, leaves, wakes, lists
-- ARGV: lease, sender, channel, record prefix, request ttl, mark ttl, mark value, 1 if the entries start a trail,
--       new head, counts of marks, puts, indexes, joins, leaves, wakes, audit entries, listed, samples (number of the
--       put, field, text or '' to forget it); then their parts; ahead
local applied = redis.call('GET', KEYS[1])
if applied then return {'ok', tonumber(applied), 1} end

local lease, prefix = tonumber(ARGV[1]), ARGV[4]
local marks, puts, points = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local joins, leaves, wakes, entries = tonumber(ARGV[13]), tonumber(ARGV[14]), tonumber(ARGV[15]), tonumber(ARGV[16])
local listed, samples = tonumber(ARGV[17]), tonumber(ARGV[18])
local first_put, first_point = 5 + marks, 5 + marks + puts
local first_join = first_point + points
local first_wake = first_join + joins + leaves
local first_list = first_wake + wakes
local put_args = 18
local point_args = put_args + puts * 8
local join_args = point_args + points * 2
local wake_args = join_args + joins + leaves
local audit_args = wake_args + wakes
local list_args = audit_args + entries * 2
local sample_args = list_args + listed * 2

for i = 6, 5 + marks do
  local by = redis.call('GET', KEYS[i])
  if by then return {'once', by} end
end
local known = {}
for i = 1, puts do
  local a = put_args + (i - 1) * 8
  local record = redis.call('HMGET', KEYS[first_put + i], 'version', 'fence', 'claimed_until', 'again')
  local member, version, fence = ARGV[a + 1], ARGV[a + 2], ARGV[a + 3]
  if (record[1] or '0') ~= version then return {'conflict', member .. ' changed'} end
  if fence ~= '' and record[2] ~= fence then return {'conflict', member .. ' is claimed by somebody else'} end
  known[i] = record
end
for i = 1, points do
  local a = point_args + (i - 1) * 2
  local id, expected = redis.call('GET', KEYS[first_point + i]), ARGV[a + 2]
  if id and expected == '' then
    local kept = redis.call('EXISTS', prefix .. 'inc:' .. id, prefix .. 'act:' .. id, prefix .. 'pool:' .. id,
                            prefix .. 'digest:' .. id)
    if kept > 0 or string.sub(id, 1, 1) == '@' then return {'conflict', 'an index points elsewhere'} end
  elseif (id or '') ~= expected then
    return {'conflict', 'an index points elsewhere'}
  end
end
for i = 1, joins + leaves do redis.call('SCARD', KEYS[first_join + i]) end
for i = 1, listed do redis.call('ZCARD', KEYS[first_list + i]) end
local head, last_id = '', ''
if entries > 0 then
  head = redis.call('GET', KEYS[5]) or ''
  if ARGV[8] == '1' and head ~= '' then return {'head', head} end
  redis.call('XLEN', KEYS[4])
end
local earliest = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]

-- the first write is one that a full memory refuses, so that it refuses all or nothing
local hw = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], hw, 'PX', ARGV[5])
local soonest = nil
local function look(member, at)
  redis.call('ZADD', KEYS[3], at, member)
  if not soonest or at < soonest then soonest = at end
end
local function look_sooner(member, at)
  local planned = redis.call('ZSCORE', KEYS[3], member)
  if not planned or at < tonumber(planned) then look(member, at) end
end
for i = 6, 5 + marks do redis.call('SET', KEYS[i], ARGV[7], 'PX', ARGV[6]) end
for i = 1, puts do
  local a = put_args + (i - 1) * 8
  local key, record = KEYS[first_put + i], known[i]
  local member, version, fence, delay = ARGV[a + 1], ARGV[a + 2] + 1, ARGV[a + 3], tonumber(ARGV[a + 4])
  local how, keep, unsettled, doc = ARGV[a + 5], ARGV[a + 6], ARGV[a + 7], ARGV[a + 8]
  if fence ~= '' and how == 'extend' then
    redis.call('HSET', key, 'doc', doc, 'version', version, 'claimed_until', now + lease, 'open_claim', now)
    redis.call('ZADD', KEYS[3], now + lease, member)
  elseif fence ~= '' then
    redis.call('HSET', key, 'doc', doc, 'version', version, 'fence', '', 'claimed_until', 0, 'again', 0)
    if how == 'release' then redis.call('HSET', key, 'open_claim', 0)
    elseif unsettled ~= '' then redis.call('HSET', key, 'open_claim', now - tonumber(unsettled)) end
    if record[4] == '1' then look(member, now)
    elseif delay then look(member, now + delay)
    else redis.call('ZREM', KEYS[3], member) end
  elseif (tonumber(record[3]) or 0) > now then
    redis.call('HSET', key, 'doc', doc, 'version', version, 'again', 1)
  else
    redis.call('HSET', key, 'doc', doc, 'version', version)
    if delay then look_sooner(member, now + delay) else redis.call('ZREM', KEYS[3], member) end
  end
  if keep ~= '' then redis.call('PEXPIRE', key, keep)
  elseif record[1] or fence ~= '' then redis.call('PERSIST', key) end
end
for i = 1, samples do
  local a = sample_args + (i - 1) * 3
  local key = KEYS[first_put + tonumber(ARGV[a + 1])]
  if ARGV[a + 3] == '' then redis.call('HDEL', key, ARGV[a + 2])
  else redis.call('HSET', key, ARGV[a + 2], ARGV[a + 3]) end
end
for i = 1, points do
  local a = point_args + (i - 1) * 2
  if ARGV[a + 1] == '' then redis.call('DEL', KEYS[first_point + i])
  else redis.call('SET', KEYS[first_point + i], ARGV[a + 1]) end
end
for i = 1, joins do redis.call('SADD', KEYS[first_join + i], ARGV[join_args + i]) end
for i = joins + 1, joins + leaves do redis.call('SREM', KEYS[first_join + i], ARGV[join_args + i]) end
for i = 1, wakes do
  local key = KEYS[first_wake + i]
  if (tonumber(redis.call('HGET', key, 'claimed_until')) or 0) > now then redis.call('HSET', key, 'again', 1)
  else look_sooner(ARGV[wake_args + i], now) end
end
for i = 1, entries do
  local a = audit_args + (i - 1) * 2
  last_id = redis.call('XADD', KEYS[4], '*', 'entry', ARGV[a + 1], 'hash', ARGV[a + 2])
end
if entries > 0 then redis.call('SET', KEYS[5], ARGV[9]) end
for i = 1, listed do
  local key, member, stay = KEYS[first_list + i], ARGV[list_args + i * 2 - 1], tonumber(ARGV[list_args + i * 2])
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  redis.call('ZADD', key, now + stay, member)
  if stay > redis.call('PTTL', key) then redis.call('PEXPIRE', key, stay) end
end
local woke = soonest and (soonest <= now or not earliest or soonest < tonumber(earliest))
-- a user that may not publish is no reason to fail when all is written: work is found by polling then
if woke then redis.pcall('PUBLISH', ARGV[3], ARGV[2]) end
return {'ok', hw, woke and 1 or 0, head, last_id}
""",
    ahead=True,
)

CLAIM = script(
    _OLDER_SAMPLES
    + """
-- KEYS: due, fence, hw   ARGV: most, lease, record prefix, ahead
-- returns now, hw, ms until the next is due (-1: none), then member, fence, document, version, open claim and older
-- samples of each
local claimed = {}
local hw = tonumber(redis.call('GET', KEYS[3]) or 0)
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
    local n = #claimed
    claimed[n + 1], claimed[n + 2], claimed[n + 3] = member, fence, record[1]
    claimed[n + 4], claimed[n + 5] = tonumber(record[2] or 0), tonumber(record[3] or 0)
    claimed[n + 6] = older(key)
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
-- KEYS: records   ARGV: 1 to leave out older samples; returns document, version and older samples of each
local out = {}
for i = 1, #KEYS do
  local record = redis.call('HMGET', KEYS[i], 'doc', 'version')
  out[3 * i - 2], out[3 * i - 1] = record[1], record[2]
  out[3 * i] = ARGV[1] == '0' and older(KEYS[i])
end
return out
"""
)
