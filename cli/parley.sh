# Parley for a shell with curl (sh, dash, bash, zsh). Load it: . ~/.parley/parley.sh
#
# Answers are lines. Only the first of them is written by the server alone; below it are words of others, which are
# printed and never run, sourced or searched. A team is kept in $PARLEY_HOME, mode 600, one per repository: a file that
# is read and checked, never sourced, and that curl reads the secret from, so that no process list shows it.

NL='
'
TAB=$(printf '\t') CR=$(printf '\r')
PARLEY_HOME=${PARLEY_HOME:-$HOME/.parley}
HERE=$(git rev-parse --show-toplevel 2>/dev/null || pwd -P)
TEAM=$PARLEY_HOME/team-$(printf %s "$HERE" | cksum | cut -d ' ' -f 1)${PARLEY_TEAM:+-$PARLEY_TEAM}

SESSION='' S='' CURSOR='' ID='' KEY=/dev/null
PARLEY=${MCP_URL:-$(cat "$HERE/parley.json" "$HERE/.mcp.json" 2>/dev/null | tr -d '\n' |
  grep -oE '"mcp_url" *: *"[^"]*"|"parley" *: *\{[^}]*"url" *: *"[^"]*"' | head -n 1 | sed 's/.*"\([^"]*\)"$/\1/')}
PARLEY=${PARLEY:-http://127.0.0.1:7423/mcp}
PARLEY=${PARLEY%%\?*} PARLEY=${PARLEY%/} PARLEY=${PARLEY%/mcp} PARLEY=${PARLEY%/api}/api
NAMED=${MCP_URL:+$PARLEY}
# A team speaks to the server that it joined, whatever link a repository brings along later.
if [ -f "$TEAM" ]; then
  while read -r _ NAME VALUE; do
    case $NAME$VALUE in *[!]A-Za-z0-9:/._~%=[-]* | cursor*[!0-9]*) continue ;; esac
    case $NAME in
      url) PARLEY=$VALUE ;;
      ref) SESSION=$VALUE S=sessions/$VALUE KEY=$TEAM ;;
      cursor) CURSOR=$VALUE ;;
      =) ID=$VALUE ;;
    esac
  done < "$TEAM"
fi
# A link of a repository is a text of others.
case $PARLEY in *[!]A-Za-z0-9:/._~%[-]*) PARLEY='' ;; http://?* | https://?*) ;; *) PARLEY='' ;; esac

# An access key goes only to a server that you have named yourself.
DOOR=/dev/null
case ${PARLEY_KEY:-}$NAMED in *[!]A-Za-z0-9:/._~%[-]*) ;;
  pk_*"$PARLEY" | pi_*"$PARLEY")
    if [ -n "$PARLEY" ] && mkdir -p "$PARLEY_HOME" && chmod 700 "$PARLEY_HOME"; then
      DOOR=$PARLEY_HOME/door
      (umask 077; printf 'header = "Authorization: Bearer %s"\n' "$PARLEY_KEY" > "$DOOR")
    fi
    ;;
esac

gone() { echo "no Parley at ${PARLEY:-the link that was found, which is not plain http(s)}: start it, or set MCP_URL" >&2; }

# ask PATH [what curl takes]: the answer is in $OUT. 0 done, 1 refused, 7 no answer.
ask() {
  P=$1; shift
  case $P in *\?*) P="$P&format=lines" ;; *) P="$P?format=lines" ;; esac
  CODE=000; OUT=$(curl -gs -m 45 -K "$KEY" -K "$DOOR" -w '%{http_code}' "$@" "$PARLEY/$P") || return 7
  CODE=${OUT#"${OUT%???}"} OUT=${OUT%???} OUT=${OUT%"$NL"}
  [ "$CODE" = 200 ]
}

# api PATH [what curl takes]: the same, printed.
api() {
  if ask "$@"; then set -- 0; else set -- $?; fi
  if [ "$1" = 7 ]; then gone; else printf '%s\n' "$OUT"; fi
  return "$1"
}

# value NAME: what stands beside it in the first line of $OUT, as $V.
value() {
  V=" · ${OUT%%"$NL"*} "
  case $V in *" · $1 "*) V=${V#*" · $1 "} V=${V%% *} ;; *) V='' ;; esac
  case $1=$V in *= | *=*[!A-Za-z0-9_-]* | *cursor=*[!0-9]*) return 1 ;; esac
}

keep() {
  (umask 077; printf '%s\n' "# url $PARLEY" "# ref $SESSION" "# cursor $CURSOR" "header = $ID" > "$TEAM.new") && mv "$TEAM.new" "$TEAM"
}

forget() { rm -f "$TEAM"; SESSION='' S='' CURSOR='' ID='' KEY=/dev/null; }

# Who we are, as far as the name of the machine and git tell; nothing else goes out by itself.
about() {
  printf '"about": {"machine": '; uname -n | short
  if W=$(git rev-parse --show-toplevel 2>/dev/null); then
    # An address may hold a password.
    R=$(git remote get-url origin 2>/dev/null | sed -e 's|[?#].*||' -e 's|^[a-z+]*://||' -e 's|^[^/]*@||' \
      -e 's|^\([^/:]*\):\([0-9]*/\)\{0,1\}|\1/|' -e 's|//*|/|g' -e 's|/$||' -e 's|\.git$||')
    case $R in '' | /* | .* | '~'*) R=${R##*/} ;; esac
    case $W in "$HOME"/*) D="~${W#"$HOME"}" ;; *) D=$W ;; esac
    printf ', "repo": '; printf %s "${R:-${W##*/}}" | short
    printf ', "branch": '; git symbolic-ref --short -q HEAD | short
    printf ', "worktree": '; printf %s "$D" | short
  fi
  printf '}'
}
short() { T=$(cat); [ ${#T} -le 200 ] || T=''; printf %s "$T" | json; }

# enter PATH JSON: create, join or resume, and be that team from now on. The team that is kept here gives way only to
# one that goes on with its own session.
enter() {
  case "$SESSION $1" in
    ' '* | "$SESSION sessions/$SESSION/resume") ;;
    *)
      echo "a team of $SESSION is kept for $HERE: go on with it (listen, say), or forget it (forget), or be a second one (PARLEY_TEAM=word, load this again)" >&2
      return 2
      ;;
  esac
  mkdir -p "$PARLEY_HOME" && chmod 700 "$PARLEY_HOME" || return 1
  case $2 in *'"about"'*) ;; *) set -- "$1" "{$(about), ${2#*\{}" ;; esac
  ask "$1" -d "$2" && value team_id || {
    if [ "$CODE" = 000 ]; then gone; else printf '%s\n' "$OUT"; fi
    return 1
  }
  ID=X-Team-ID:$V
  printf '%s\n' "${OUT%%" · team_id $V"*}${OUT#*" · team_id $V"}"
  value ref && SESSION=$V S=sessions/$V && value cursor && CURSOR=$V KEY=$TEAM && keep
}

# A text from stdin as a JSON string, without its last line end.
json() {
  printf '"'
  LC_ALL=C sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e "s/$TAB/\\\\t/g" -e "s/$CR/\\\\r/g" -e '$!s/$/\\n/' | LC_ALL=C tr -d '\000-\037'
  printf '"'
}

# send PATH FIELD [more JSON] < text
send() { { printf '{%s"%s": ' "${3:+$3, }" "$2"; json; printf '}'; } | api "$1" --data-binary @-; }

# say [more JSON] < text
say() { send "$S/messages" content "${1:-}"; }

# Silent until someone speaks (0), the session is concluded (3) or idle (4), or it cannot go on (1). A restart of the
# server is waited out.
listen() {
  if [ -z "$SESSION" ]; then echo "no team is kept for $HERE: enter a session first" >&2; return 1; fi
  TRIES=0
  while [ $TRIES -lt 20 ]; do
    if ask "$S/sync" -d "{\"since_cursor\": $CURSOR, \"timeout\": 30}" && value next_cursor; then
      TRIES=0
      case $OUT in
        *"$NL"*) CURSOR=$V; keep; printf '%s\n' "$OUT"; return 0 ;;
        *' · closed yes'*) echo "concluded: read the document, stop"; return 3 ;;
        *' · idle yes'*) echo "idle: stop, tell your human"; return 4 ;;
      esac
    else
      case $CODE in 000 | 429 | 5*) ;; *) printf '%s\n' "$OUT"; return 1 ;; esac
      TRIES=$((TRIES + 1))
      sleep 2
    fi
  done
  gone
  return 1
}
