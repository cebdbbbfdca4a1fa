import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { LogDatabase } from './database.ts'
import type { LogReply, LogRequest, LogWorkerData } from './protocol.ts'
import type { StoreError } from '../record/store-error.ts'
import { isWritable } from './file.ts'
import { openingError, writingError } from './sqlite-error.ts'

/** The thread that owns the database: answers requests one by one, in order. Started by worker-log.ts. */
function serve(port: MessagePort, { directory, faults, options }: LogWorkerData): void {
  const reply = (message: LogReply): void => port.postMessage(message)
  const refuse = ({ code, message }: StoreError): void => reply({ error: { code, message } })
  let database: LogDatabase
  try {
    database = new LogDatabase(directory, faults, options)
    const { lost } = database
    reply({ floor: database.floor(), ...(lost === undefined ? {} : { lost: lost.message }) })
  } catch (error) {
    refuse(openingError(directory, error, isWritable(directory)))
    port.close()
    return
  }
  port.on('message', (request: LogRequest) => {
    try {
      switch (request.type) {
        case 'read':
          reply({ rows: database.read() })
          break
        case 'append':
          database.append(request.batch)
          reply({ hasReserve: database.hasReserve })
          break
        case 'take-reserve':
          reply({ hasReserve: database.takeReserve() })
          break
        case 'check':
          database.check()
          reply({})
          break
        case 'close':
          database.close()
          reply({})
      }
    } catch (error) {
      refuse(
        request.type === 'read'
          ? openingError(directory, error, isWritable(directory))
          : writingError(directory, error),
      )
    }
    if (request.type === 'close') port.close()
  })
}

if (parentPort !== null) serve(parentPort, workerData as LogWorkerData)
