package io.understudy.readiness;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One thing that stands against a promotion.
 *
 * @param check the check that found it
 * @param subject tells findings of one check apart: a setting, an account, a channel
 * @param decides an unknown without which there is no verdict
 * @param what the fact
 * @param why why it matters at the promotion
 * @param statement the statement that mends it, with the server to run it on; empty if there is none
 */
public record Finding(
        String check, String subject, Severity severity, boolean decides, String what, String why, String statement) {

    /** Returns the same as something that changes no verdict. */
    Finding asNote() {
        return new Finding(check, subject, Severity.NOTES, false, what, why, statement);
    }

    /** Returns whether both are about the same thing, whatever their figures. */
    boolean isAbout(Finding other) {
        return check.equals(other.check) && subject.equals(other.subject) && severity == other.severity;
    }

    Map<String, Object> view() {
        Map<String, Object> view = redacted();
        view.put("decides", decides);
        view.put("subject", subject);
        view.put("what", what);
        view.put("why", why);
        view.put("statement", statement);
        return view;
    }

    /** Returns the finding without names. */
    Map<String, Object> redacted() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("check", check);
        view.put("severity", severity.word());
        return view;
    }
}
