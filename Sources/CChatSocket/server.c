#include "chatsocket.h"
#include <libwebsockets.h>
#include <uv.h>
