# Gives a child what the project wants it to know.
echo '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"In this project every function has a test."}}'
