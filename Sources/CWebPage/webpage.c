#include "webpage.h"

// Swift's own way to build files in makes a literal of each byte, and needs most of a minute to compile them.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../../Web/index.html"
};
static const unsigned char style_css[] = {
#embed "../../Web/style.css"
};
static const unsigned char favicon_svg[] = {
#embed "../../Web/favicon.svg"
};
static const unsigned char favicon_unread_svg[] = {
#embed "../../Web/favicon-unread.svg"
};
static const unsigned char diffroom_d_ts[] = {
#embed "../../Web/diffroom.d.ts"
};
static const unsigned char access_js[] = {
#embed "../../Web/access.js"
};
static const unsigned char actions_js[] = {
#embed "../../Web/actions.js"
};
static const unsigned char addresses_js[] = {
#embed "../../Web/addresses.js"
};
static const unsigned char app_js[] = {
#embed "../../Web/app.js"
};
static const unsigned char between_js[] = {
#embed "../../Web/between.js"
};
static const unsigned char chunks_js[] = {
#embed "../../Web/chunks.js"
};
static const unsigned char clock_js[] = {
#embed "../../Web/clock.js"
};
static const unsigned char commands_js[] = {
#embed "../../Web/commands.js"
};
static const unsigned char composer_js[] = {
#embed "../../Web/composer.js"
};
static const unsigned char conversation_js[] = {
#embed "../../Web/conversation.js"
};
static const unsigned char diffroom_js[] = {
#embed "../../Web/diffroom.js"
};
static const unsigned char dragging_js[] = {
#embed "../../Web/dragging.js"
};
static const unsigned char drawnrange_js[] = {
#embed "../../Web/drawnrange.js"
};
static const unsigned char elements_js[] = {
#embed "../../Web/elements.js"
};
static const unsigned char faces_js[] = {
#embed "../../Web/faces.js"
};
static const unsigned char labels_js[] = {
#embed "../../Web/labels.js"
};
static const unsigned char link_js[] = {
#embed "../../Web/link.js"
};
static const unsigned char membership_js[] = {
#embed "../../Web/membership.js"
};
static const unsigned char mentions_js[] = {
#embed "../../Web/mentions.js"
};
static const unsigned char messages_js[] = {
#embed "../../Web/messages.js"
};
static const unsigned char moderation_js[] = {
#embed "../../Web/moderation.js"
};
static const unsigned char moderator_js[] = {
#embed "../../Web/moderator.js"
};
static const unsigned char names_js[] = {
#embed "../../Web/names.js"
};
static const unsigned char newroom_js[] = {
#embed "../../Web/newroom.js"
};
static const unsigned char notifier_js[] = {
#embed "../../Web/notifier.js"
};
static const unsigned char offer_js[] = {
#embed "../../Web/offer.js"
};
static const unsigned char openrooms_js[] = {
#embed "../../Web/openrooms.js"
};
static const unsigned char owner_js[] = {
#embed "../../Web/owner.js"
};
static const unsigned char pageactions_js[] = {
#embed "../../Web/pageactions.js"
};
static const unsigned char panel_js[] = {
#embed "../../Web/panel.js"
};
static const unsigned char people_js[] = {
#embed "../../Web/people.js"
};
static const unsigned char personcard_js[] = {
#embed "../../Web/personcard.js"
};
static const unsigned char pictures_js[] = {
#embed "../../Web/pictures.js"
};
static const unsigned char pins_js[] = {
#embed "../../Web/pins.js"
};
static const unsigned char popupmenu_js[] = {
#embed "../../Web/popupmenu.js"
};
static const unsigned char question_js[] = {
#embed "../../Web/question.js"
};
static const unsigned char roommenu_js[] = {
#embed "../../Web/roommenu.js"
};
static const unsigned char router_js[] = {
#embed "../../Web/router.js"
};
static const unsigned char rows_js[] = {
#embed "../../Web/rows.js"
};
static const unsigned char scrollposition_js[] = {
#embed "../../Web/scrollposition.js"
};
static const unsigned char seen_js[] = {
#embed "../../Web/seen.js"
};
static const unsigned char settings_js[] = {
#embed "../../Web/settings.js"
};
static const unsigned char shortcuts_js[] = {
#embed "../../Web/shortcuts.js"
};
static const unsigned char sidebar_js[] = {
#embed "../../Web/sidebar.js"
};
static const unsigned char speaker_js[] = {
#embed "../../Web/speaker.js"
};
static const unsigned char storage_js[] = {
#embed "../../Web/storage.js"
};
static const unsigned char switcher_js[] = {
#embed "../../Web/switcher.js"
};
static const unsigned char totals_js[] = {
#embed "../../Web/totals.js"
};
static const unsigned char typedcommands_js[] = {
#embed "../../Web/typedcommands.js"
};
static const unsigned char unread_js[] = {
#embed "../../Web/unread.js"
};
static const unsigned char user_js[] = {
#embed "../../Web/user.js"
};

#define FILE_AT(path, bytes) {path, bytes, sizeof(bytes)}

static const cw_file files[] = {
    FILE_AT("/", index_html),
    FILE_AT("/style.css", style_css),
    FILE_AT("/favicon.svg", favicon_svg),
    FILE_AT("/favicon-unread.svg", favicon_unread_svg),
    FILE_AT("/diffroom.d.ts", diffroom_d_ts),
    FILE_AT("/access.js", access_js),
    FILE_AT("/actions.js", actions_js),
    FILE_AT("/addresses.js", addresses_js),
    FILE_AT("/app.js", app_js),
    FILE_AT("/between.js", between_js),
    FILE_AT("/chunks.js", chunks_js),
    FILE_AT("/clock.js", clock_js),
    FILE_AT("/commands.js", commands_js),
    FILE_AT("/composer.js", composer_js),
    FILE_AT("/conversation.js", conversation_js),
    FILE_AT("/diffroom.js", diffroom_js),
    FILE_AT("/dragging.js", dragging_js),
    FILE_AT("/drawnrange.js", drawnrange_js),
    FILE_AT("/elements.js", elements_js),
    FILE_AT("/faces.js", faces_js),
    FILE_AT("/labels.js", labels_js),
    FILE_AT("/link.js", link_js),
    FILE_AT("/membership.js", membership_js),
    FILE_AT("/mentions.js", mentions_js),
    FILE_AT("/messages.js", messages_js),
    FILE_AT("/moderation.js", moderation_js),
    FILE_AT("/moderator.js", moderator_js),
    FILE_AT("/names.js", names_js),
    FILE_AT("/newroom.js", newroom_js),
    FILE_AT("/notifier.js", notifier_js),
    FILE_AT("/offer.js", offer_js),
    FILE_AT("/openrooms.js", openrooms_js),
    FILE_AT("/owner.js", owner_js),
    FILE_AT("/pageactions.js", pageactions_js),
    FILE_AT("/panel.js", panel_js),
    FILE_AT("/people.js", people_js),
    FILE_AT("/personcard.js", personcard_js),
    FILE_AT("/pictures.js", pictures_js),
    FILE_AT("/pins.js", pins_js),
    FILE_AT("/popupmenu.js", popupmenu_js),
    FILE_AT("/question.js", question_js),
    FILE_AT("/roommenu.js", roommenu_js),
    FILE_AT("/router.js", router_js),
    FILE_AT("/rows.js", rows_js),
    FILE_AT("/scrollposition.js", scrollposition_js),
    FILE_AT("/seen.js", seen_js),
    FILE_AT("/settings.js", settings_js),
    FILE_AT("/shortcuts.js", shortcuts_js),
    FILE_AT("/sidebar.js", sidebar_js),
    FILE_AT("/speaker.js", speaker_js),
    FILE_AT("/storage.js", storage_js),
    FILE_AT("/switcher.js", switcher_js),
    FILE_AT("/totals.js", totals_js),
    FILE_AT("/typedcommands.js", typedcommands_js),
    FILE_AT("/unread.js", unread_js),
    FILE_AT("/user.js", user_js),
};

const cw_file *cw_files(size_t *count) {
    *count = sizeof files / sizeof *files;
    return files;
}
