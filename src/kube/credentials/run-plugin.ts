import { spawn } from 'node:child_process'
import { systemCode } from '../../runtime/process/startup-error.ts'
import type { Environment } from '../access/proxy-environment.ts'

export interface PluginCall {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: Environment
  /** May it read from our standard input, and prompt the user? */
  readonly interactive: boolean
  readonly deadlineMs: number
}

export type PluginResult =
  | { readonly outcome: 'exited'; readonly code: number; readonly stdout: string; readonly complaint: string }
  | { readonly outcome: 'not-started'; readonly reason: string }
  | { readonly outcome: 'timeout' }

export type RunPlugin = (call: PluginCall) => Promise<PluginResult>

/** More than any credential needs. */
const MOST_OUTPUT = 1024 * 1024

/** Runs an exec plugin to its end; it is killed at the deadline. `complaint` is the last line that it wrote for people. */
export const runPlugin: RunPlugin = ({ command, args, environment, interactive, deadlineMs }) =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      env: environment,
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', interactive ? 'inherit' : 'pipe'],
      windowsHide: true,
    })
    const stdout: Buffer[] = []
    let size = 0
    let complaint = ''
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      // Processes that the plugin started may hold its pipes open.
      child.stdout?.destroy()
      child.stderr?.destroy()
      resolve({ outcome: 'timeout' })
    }, deadlineMs)
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MOST_OUTPUT) stdout.push(chunk)
    })
    child.stderr?.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2000)))
    child.on('error', (error) => {
      clearTimeout(timer)
      resolve({ outcome: 'not-started', reason: systemCode(error) })
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      const last = complaint.trim().split('\n').at(-1)?.trim().slice(0, 300) ?? ''
      resolve({ outcome: 'exited', code: code ?? -1, stdout: Buffer.concat(stdout).toString('utf8'), complaint: last })
    })
  })
