/** The package from CommonJS: every entry. */
const assert = require('node:assert/strict')
const { exports: entries } = require('xstate-subagents/package.json')

for (const entry of Object.keys(entries)) assert.ok(Object.keys(require(`xstate-subagents${entry.slice(1)}`)).length > 0, entry)
const { createSubagentService, SubagentError } = require('xstate-subagents')
assert.equal(createSubagentService().list().length, 0)
assert.throws(() => createSubagentService({ timeoutMs: -1 }), SubagentError)
