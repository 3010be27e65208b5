package io.understudy.steering;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Something that would help.
 *
 * @param name of the action
 * @param savedMicros apply time that it would save, simulated
 * @param kind what {@code text} is: {@code rule} to paste, {@code statement} to execute, or {@code change} to the
 *     application
 * @param text to paste, to execute or to do
 * @param note what to know before; may be empty
 */
record Action(String name, long savedMicros, String kind, String text, String note) {
    static Action rule(String name, long savedMicros, String text, String note) {
        return new Action(name, savedMicros, "rule", text, note);
    }

    static Action statement(String name, long savedMicros, String text, String note) {
        return new Action(name, savedMicros, "statement", text, note);
    }

    /** @param earlier number of the finding that has the same rule, which must be pasted once; 0 for none */
    Map<String, Object> view(int earlier) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("action", name);
        view.put("savesSeconds", StallCause.seconds(savedMicros));
        if (earlier > 0) {
            view.put("sameRuleAs", earlier);
        } else {
            view.put(kind, text);
        }
        if (!note.isEmpty()) {
            view.put("note", note);
        }
        return view;
    }
}
