/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/order/choice.h"

#include "measure/order/bound.h"
#include "measure/order/sight.h"

bool wf_choice_is_possible(const struct wf_group *group)
{
    if (!wf_header_is_on() || !group || group->inter || group->silent || group->kind != WF_GROUP_COMM)
        return false;
    for (int i = 0; i < group->size; i++)
        if (!wf_sight_sees(group->partner[i]))
            return false;
    return true;
}

void wf_choice_show_aside(void)
{
    const struct wf_needs *needs = &wf_own_box.box->head.needs.first;
    uint32_t count = wf_get(needs->mode) == WF_NEEDS_RUNNING ? 0 : wf_get(needs->count);
    uint64_t aside = WF_ASIDE_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const struct wf_need *need = &needs->need[i];
        int32_t rank = wf_get(need->rank);
        if ((wf_get(need->kind) & 0xff) != WF_NEED_MESSAGE)
            continue;
        uint64_t first =
            wf_match_aside(rank == WF_NEED_ANY_RANK ? WF_ANY : rank, wf_get(need->tag), wf_get(need->comm));
        aside = first < aside ? first : aside;
    }
    wf_set(wf_process.shown_clock->aside, aside);
}

static bool choice_first_of(const struct wf_wanted *wanted, int member, struct wf_header *h)
{
    return wf_match_first(wanted->group->partner[member], wanted->tag, wanted->group->id, wanted->order, h);
}

bool wf_choice_has_sent(const struct wf_wanted *wanted, int member)
{
    struct wf_header h;
    return member >= 0 && member < wanted->group->size && choice_first_of(wanted, member, &h);
}

/* Looks at what was sent, without deciding anything: true if anything fits. */
static bool choice_look(const struct wf_wanted *wanted, struct wf_choice *choice)
{
    uint64_t first_virt = UINT64_MAX, first_real = UINT64_MAX;
    int first_sent = -1;
    struct wf_header h;
    wf_set(wf_process.shown_clock->aside, WF_ASIDE_UNKNOWN);
    choice->source = -1;
    for (int i = 0; i < wanted->group->size; i++) {
        if (!choice_first_of(wanted, i, &h))
            continue;
        if (h.stamp.virt < first_virt) {
            first_virt = h.stamp.virt;
            choice->source = i;
            choice->rank = wanted->group->partner[i];
            choice->header = h;
        }
        if (h.stamp.real < first_real) {
            first_real = h.stamp.real;
            first_sent = i;
        }
    }
    if (wanted->shows)
        wf_choice_show_aside();
    choice->otherwise = first_sent != choice->source;
    choice->kind = choice->source < 0 ? WF_CHOICE_NOTHING : WF_CHOICE_HOLD;
    return choice->source >= 0;
}

/* Can another member still send an earlier message? One that has sent a fitting one sends its next ones later. */
static bool choice_is_first(const struct wf_wanted *wanted, const struct wf_choice *choice)
{
    uint64_t virt = choice->header.stamp.virt;
    struct wf_header h;
    for (int i = 0; i < wanted->group->size; i++) {
        if (wf_sight_bound(wanted->group->partner[i]) >= virt)
            continue;
        if (!choice_first_of(wanted, i, &h) || h.stamp.virt < virt)
            return false;
    }
    return true;
}

void wf_choice_make(const struct wf_wanted *wanted, struct wf_choice *choice)
{
    if (!choice_look(wanted, choice))
        return;
    wf_sight_look(wanted->stops);
    /* What has come since the look may be earlier. */
    if (choice_look(wanted, choice) && choice_is_first(wanted, choice))
        choice->kind = WF_CHOICE_TAKE;
}

bool wf_choice_never_comes(const struct wf_wanted *wanted)
{
    struct wf_choice choice;
    wf_sight_look(true);
    for (int i = 0; i < wanted->group->size; i++)
        if (wf_sight_bound(wanted->group->partner[i]) != WF_BOUND_NEVER)
            return false;
    return !choice_look(wanted, &choice);
}
