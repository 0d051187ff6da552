"""The queues that keep Slack's rate limits across all processes (docs/design/slack.md#rate-limits)."""

from bot.adapters.redis.scripts import script

RATE_LANES = "{tailback}:pace:"

ACQUIRE_SLOT = script("""
-- KEYS: lane, its urgent reservations, indexes   ARGV: who, interval, burst, urgent ('1' or '0'), open
-- Returns the ms to wait, 0 when the slot is granted, -1 when one of the indexes has another value than `open`.
-- An urgent asker that must wait reserves a slot. Nobody is granted one that a reservation before it needs, so ordinary
-- askers never delay an urgent one. A reservation that is not used ends after a grace period.
-- Ordinary slots are booked in order. `shift` moves them all when a slot is taken before them or the lane is paused.
for i = 3, #KEYS do
  if (redis.call('GET', KEYS[i]) or ARGV[5]) ~= ARGV[5] then return {-1} end
end
local interval, burst = tonumber(ARGV[2]), tonumber(ARGV[3])
if interval == 0 then return {math.max(0, tonumber(redis.call('HGET', KEYS[1], 'not_before') or 0) - now)} end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - math.max(interval, 2000))
local reserved = redis.call('ZSCORE', KEYS[2], ARGV[1])
local urgent = reserved or ARGV[4] == '1'
local ahead = reserved and redis.call('ZCOUNT', KEYS[2], '-inf', '(' .. reserved) or redis.call('ZCARD', KEYS[2])
local booking = 'b:' .. ARGV[1]
local lane = redis.call('HMGET', KEYS[1], 'tat', 'tail', 'not_before', 'shift', booking)
local tat, held, shift = tonumber(lane[1] or 0), tonumber(lane[3] or 0), tonumber(lane[4] or 0)
local tail = lane[2] and tonumber(lane[2]) + shift
local slot = lane[5] and tonumber(lane[5]) + shift
local ready = math.max(held, math.max(tat, now) - (burst - 1 - ahead) * interval)
local turn = urgent or (slot and slot <= now) or (not slot and not (tail and tail > now))
if ready <= now and turn then
  redis.call('ZREM', KEYS[2], ARGV[1])
  if tail and tail <= now then
    redis.call('DEL', KEYS[1]) -- nobody waits any more: forget those who booked and never came
  elseif tail then
    redis.call('HDEL', KEYS[1], booking)
    if slot and now - slot <= interval then shift = shift + math.max(0, now - slot)
    elseif not slot then shift = shift + interval end
    redis.call('HSET', KEYS[1], 'shift', shift)
  end
  redis.call('HSET', KEYS[1], 'tat', math.max(tat, now) + interval, 'not_before', held, 'spare', (burst - 1) * interval)
  redis.call('PEXPIRE', KEYS[1], math.max(tail or 0, tat, held, now) - now + interval * burst + 300000)
  return {0}
end
if urgent then
  if not reserved then redis.call('ZADD', KEYS[2], ready, ARGV[1]) end
  redis.call('PEXPIRE', KEYS[2], ready - now + 300000)
  return {math.max(1, ready - now)}
end
if not slot then
  slot = math.max(tail and tail + interval or 0, now, ready)
  redis.call('HSET', KEYS[1], 'tail', slot - shift, booking, slot - shift)
  redis.call('PEXPIRE', KEYS[1], math.max(slot, tat, held, now) - now + interval * burst + 300000)
end
return {math.max(1, math.max(slot, ready) - now)}
""")

ARRANGE = script("""
-- KEYS: lane   ARGV: who, in the new order
-- those who have booked a slot trade slots; nobody else moves
local known, slots = {}, {}
for i = 1, #ARGV - 1 do
  local slot = redis.call('HGET', KEYS[1], 'b:' .. ARGV[i])
  if slot then known[#known + 1] = ARGV[i]; slots[#slots + 1] = tonumber(slot) end
end
table.sort(slots)
for i, who in ipairs(known) do redis.call('HSET', KEYS[1], 'b:' .. who, slots[i]) end
return {1}
""")

PAUSE_LANE = script("""
-- KEYS: lane, its urgent reservations   ARGV: ms
-- nobody gets a slot before, and whoever has one reserved or booked gets it afterwards, in the same order
-- the lane continues at one slot per interval: a pause says that Slack's limit is used up, so it earns no burst
local lane = redis.call('HMGET', KEYS[1], 'tat', 'tail', 'not_before', 'shift', 'spare')
local until_ms, tat, spare = now + tonumber(ARGV[1]), tonumber(lane[1] or 0), tonumber(lane[5] or 0)
local before = math.max(now, tonumber(lane[3] or 0), tat - spare)
if until_ms > tonumber(lane[3] or 0) then redis.call('HSET', KEYS[1], 'not_before', until_ms) end
if tat > 0 then redis.call('HSET', KEYS[1], 'tat', math.max(tat, until_ms + spare)) end
for i, who in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  redis.call('ZADD', KEYS[2], 'GT', until_ms + i, who)
end
local shift = tonumber(lane[4] or 0)
local tail = lane[2] and tonumber(lane[2]) + shift or 0
if tail > now and until_ms > before then
  shift = shift + until_ms - before
  redis.call('HSET', KEYS[1], 'shift', shift)
  tail = tail + until_ms - before
end
redis.call('PEXPIRE', KEYS[1], math.max(until_ms, tail, now) - now + 300000)
redis.call('PEXPIRE', KEYS[2], until_ms - now + 300000)
return {1}
""")


def lane_keys(rate_lane: str) -> tuple[str, str]:
    """The lane and its urgent reservations."""
    return f"{RATE_LANES}{rate_lane}", f"{RATE_LANES}{rate_lane}:urgent"
