import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuSecondsOfOther } from '../cpu-time.ts'
import { recordCost, REAL_SERVERS } from '../file-costs.ts'
import { eventually } from '../eventually.ts'
import { isFree } from '../free-ports.ts'
import { commandLine, endOf, type Program, programOf, startAgain } from './restart-api-server.ts'

/** The processes of the control plane that `scripts/real-control-plane` starts in a folder. */
export const SERVERS = ['etcd', 'apiserver'] as const
const MANAGER = 'kcm'
export const PROCESSES = [...SERVERS, MANAGER] as const

const CONTROLLERS = '--controllers='
const PORT = '--secure-port='

const pidFileOf = (directory: string, name: string): string => join(directory, `${name}.pid`)

export const pidIn = (directory: string, name: string): number =>
  Number(readFileSync(pidFileOf(directory, name), 'utf8'))

/** Records the CPU time of processes that end. */
export function noteCost(directory: string, names: readonly string[]): void {
  const seconds = names.reduce((sum, name) => sum + cpuSecondsOfOther(pidIn(directory, name)), 0)
  recordCost(seconds, 0, REAL_SERVERS)
}

/** The controller manager as it runs. */
export const managerOf = (directory: string): Program => programOf(pidIn(directory, MANAGER))

export const isManagerRunning = (directory: string): boolean => commandLine(pidIn(directory, MANAGER)).length > 0

export const endOfManagerLog = (directory: string): string => endOf(join(directory, `${MANAGER}.log`))

/** Keeps the controller manager from running, or lets it go on. */
export function holdManager(directory: string, isHeld: boolean): void {
  process.kill(pidIn(directory, MANAGER), isHeld ? 'SIGSTOP' : 'SIGCONT')
}

export function endManager(directory: string): void {
  noteCost(directory, [MANAGER])
  process.kill(pidIn(directory, MANAGER), 'SIGKILL')
}

/** Of which API server the controller manager was started: of one that started anew it may hear only a minute later. */
const servedFileOf = (directory: string): string => join(directory, `${MANAGER}.serves`)

/** Notes that the controller manager was started for the API server that runs now. */
export const noteServed = (directory: string): void =>
  writeFileSync(servedFileOf(directory), String(pidIn(directory, 'apiserver')))

/** Has the API server been started anew since the controller manager was started? */
export const isServedAnew = (directory: string): boolean =>
  Number(readFileSync(servedFileOf(directory), 'utf8')) !== pidIn(directory, 'apiserver')

/** Starts a controller manager when the one before, which was killed, has given up its port: it would end at once else. */
export async function startManager(directory: string, manager: Program): Promise<void> {
  const port = Number(manager.args.find((arg) => arg.startsWith(PORT))?.slice(PORT.length))
  await eventually(() => isFree(port), Boolean, { what: 'the port of the controller manager' })
  startAgain(manager, { logFile: join(directory, `${MANAGER}.log`), pidFile: pidFileOf(directory, MANAGER) })
  noteServed(directory)
}

/** Starts the controller manager anew with these controllers and no others. */
export async function runControllers(directory: string, controllers: string): Promise<void> {
  const { args, ...program } = managerOf(directory)
  endManager(directory)
  const changed = args.map((arg) => (arg.startsWith(CONTROLLERS) ? `${CONTROLLERS}${controllers}` : arg))
  await startManager(directory, { ...program, args: changed })
}

/** Starts the controller manager anew as it was before `meanwhile`, if it ran. */
export async function restartManagerAfter(directory: string, meanwhile: () => Promise<void>): Promise<void> {
  const manager = isManagerRunning(directory) ? managerOf(directory) : undefined
  await meanwhile()
  if (manager === undefined) return
  if (isManagerRunning(directory)) endManager(directory)
  await startManager(directory, manager)
}
