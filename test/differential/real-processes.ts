import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuSecondsOfOther } from '../cpu-time.ts'
import { recordCost, REAL_SERVERS } from '../file-costs.ts'
import { type Program, programOf, startAgain } from './restart-api-server.ts'

/** The processes of the control plane that `scripts/real-control-plane` starts in a folder. */
export const SERVERS = ['etcd', 'apiserver'] as const
const MANAGER = 'kcm'
export const PROCESSES = [...SERVERS, MANAGER] as const

const CONTROLLERS = '--controllers='

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

export function endManager(directory: string): void {
  noteCost(directory, [MANAGER])
  process.kill(pidIn(directory, MANAGER), 'SIGKILL')
}

export function startManager(directory: string, manager: Program): void {
  startAgain(manager, { logFile: join(directory, `${MANAGER}.log`), pidFile: pidFileOf(directory, MANAGER) })
}

/** Starts the controller manager anew with these controllers and no others. */
export function runControllers(directory: string, controllers: string): void {
  const { args, ...program } = managerOf(directory)
  endManager(directory)
  const changed = args.map((arg) => (arg.startsWith(CONTROLLERS) ? `${CONTROLLERS}${controllers}` : arg))
  startManager(directory, { ...program, args: changed })
}
