// Loaded before a program of tests: its wall clock is ahead of the machine's by the milliseconds in a file.
import { readFileSync } from 'node:fs'

const LOOK_MS = 100
const machine = Date.now
let ahead = 0
setInterval(() => {
  ahead = Number(readFileSync(process.env['ALLOT_TEST_CLOCK'] ?? '', 'utf8'))
}, LOOK_MS).unref()
const now = () => machine() + ahead
globalThis.Date = class extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given))
  }
  static now = now
}
