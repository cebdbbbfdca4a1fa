import { readFileSync } from 'node:fs'

/** Loaded before a program (`NODE_OPTIONS=--import=…`): its wall clock is off by the milliseconds that a file says. */
const file = process.env['ALLOT_TEST_CLOCK'] ?? ''
const real = Date.now
const KEPT_MS = 50
let offset = 0
let readAt = -Infinity

function currentOffset(): number {
  const now = performance.now()
  if (now - readAt > KEPT_MS) {
    readAt = now
    offset = Number(readFileSync(file, 'utf8'))
  }
  return offset
}

Date.now = () => real() + currentOffset()
