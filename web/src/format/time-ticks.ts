/**
 * Where a time axis has its labels: at its start and its end, and at the round times between them. All times are in seconds. `step`: from one round
 * time to the next. `least`: from one label to the next, so that each can be read. `ahead`: by how much the clocks of the reader are ahead of UTC, so
 * that what is round is so for the reader.
 */
export function timeTicks(
  start: number,
  end: number,
  { step, least, ahead }: { readonly step: number; readonly least: number; readonly ahead: number },
): readonly number[] {
  if (!(end - start >= least && end > start)) return [end]
  const ticks = [start]
  if (step > 0) {
    const stride = Math.max(1, Math.ceil(least / step)) * step
    const first = Math.ceil((start + ahead + least) / step) * step - ahead
    for (let at = first; at <= end - least; at += stride) ticks.push(at)
  }
  return [...ticks, end]
}
