# Writes down who has ended, and how: what happened is on stdin, as one line of JSON.
input=$(cat)
field() { printf '%s' "$input" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
echo "$(field agent_type): $(field stop_reason). It said: $(field last_assistant_message)" >>"$ENDS"
