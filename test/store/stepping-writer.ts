import { writeSync } from 'node:fs'
import { LogDatabase } from '../../src/store/log/database.ts'

/**
 * A process that begins a store, writes, moves its log into the database several times, stops, starts and stops again:
 * `node stepping-writer.ts DIRECTORY`. It prints each revision that was acknowledged. Tests kill it at each system call.
 */
const [, , directory = ''] = process.argv

function run(): void {
  const log = new LogDatabase(directory, { checkpointPages: 6 }, { reserve: 4096 })
  let revision = log.floor()
  for (let rows = log.read(); rows.length > 0; rows = log.read()) revision = rows.at(-1)?.[0] ?? revision
  log.takeReserve()
  for (let n = 0; n < 4; n++) {
    revision++
    log.append({ rows: [[revision, 'things', `thing-${revision}`, revision, 0, 'x'.repeat(6000)]], sweep: undefined })
    writeSync(1, `${revision}\n`)
  }
  log.close()
}

run()
run()
