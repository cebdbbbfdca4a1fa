import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort, freePorts } from '../free-ports.ts'

const MODULE = new URL('../free-ports.ts', import.meta.url).href
const COUNT = 150

test('two processes of tests never get one port, and no port that the system gives to anybody', async () => {
  const own: number[] = []
  for (let n = 0; n < COUNT; n++) own.push(n % 10 === 0 ? await freePorts() : await freePort())
  const script = `
    import { freePort } from '${MODULE}'
    const ports = []
    for (let n = 0; n < ${COUNT}; n++) ports.push(await freePort())
    console.log(JSON.stringify(ports))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  const others: readonly number[] = JSON.parse(stdout)
  expect(others).toHaveLength(COUNT)
  expect(others.filter((port) => own.includes(port))).toEqual([])
  const [low = 0, high = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/).map(Number)
  expect([...own, ...others].filter((port) => port >= low && port <= high)).toEqual([])
})

test('a port that is taken is given to nobody, and one that was given only after all others of the process', async () => {
  const first = await freePort()
  const second = await freePort()
  expect(second).not.toBe(first)
  await using taken = createServer()
  await new Promise<void>((resolve) => taken.listen(first, '127.0.0.1', resolve))
  const later: number[] = []
  for (let n = 0; n < COUNT; n++) later.push(await freePort())
  expect(later).not.toContain(first)
  expect(later.indexOf(second)).toBeGreaterThan(50)
})
