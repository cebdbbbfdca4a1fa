// How many mutants of the pure core its tests find, room by room: fails where a room is below the threshold of
// test/mutation/stryker.json. `node scripts/mutation.ts [room …]`; with --force it forgets what it knows of earlier runs.
import { spawnSync } from 'node:child_process'

const ROOMS = ['quantity', 'charges', 'systems/resource-quota/decide', 'systems/counted/protocol']

const [rooms, options] = [
  process.argv.slice(2).filter((word) => !word.startsWith('--')),
  process.argv.slice(2).filter((word) => word.startsWith('--')),
]
for (const room of rooms.length === 0 ? ROOMS : rooms) {
  console.log(`mutants of src/${room}`)
  const files = ['--mutate', `src/${room}/**/*.ts,!src/**/*.test.ts`]
  const known = ['--incrementalFile', `node_modules/.cache/stryker/${room.replaceAll('/', '-')}.json`]
  const { status } = spawnSync('stryker', ['run', 'test/mutation/stryker.json', ...files, ...known, ...options], {
    stdio: 'inherit',
    env: { ...process.env, MUTATED_ROOM: room },
  })
  if (status !== 0) process.exitCode = 1
}
