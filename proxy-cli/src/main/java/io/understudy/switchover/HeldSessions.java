package io.understudy.switchover;

import java.util.Map;

/**
 * The proxy's sessions during a hold.
 *
 * @param on whether sessions are held
 * @param atBoundary sessions that wait
 * @param notYet sessions in a transaction or statement
 * @param unread sessions whose boundaries are not known
 */
record HeldSessions(boolean on, long atBoundary, long notYet, long unread) {
    static HeldSessions of(Map<String, Object> view) {
        return new HeldSessions(
                Boolean.TRUE.equals(view.get("held")),
                number(view, "atBoundary"),
                number(view, "notYet"),
                number(view, "unread"));
    }

    private static long number(Map<String, Object> view, String key) {
        return view.get(key) instanceof Number number ? number.longValue() : 0;
    }

    @Override
    public String toString() {
        return atBoundary + " sessions at their boundary"
                + (notYet > 0 ? ", " + notYet + " in a transaction or statement" : "")
                + (unread > 0 ? ", " + unread + " relayed unread: they are not held" : "");
    }
}
