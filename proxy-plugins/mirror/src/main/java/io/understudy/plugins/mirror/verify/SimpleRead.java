package io.understudy.plugins.mirror.verify;

import io.understudy.sql.SqlAnalyzer;
import io.understudy.sql.SqlModes;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognises reads whose result depends on nothing but the rows: no functions but COUNT, no choice among equal rows
 * (LIMIT, GROUP BY, DISTINCT, UNION), nothing of the session or the clock. An allow-list: no false alarm is worth more
 * than coverage.
 */
final class SimpleRead {
    /** Length at which a normalised text may be cut off. */
    private static final int LONGEST = 1000;

    private static final Pattern CALL = Pattern.compile("(?<![a-z0-9_$`])([a-z0-9_$`]++) ?\\(");
    private static final Set<String> BEFORE_PARENTHESIS = Set.of(
            "count", "in", "and", "or", "not", "on", "using", "where", "from", "join", "select", "exists", "as", "by",
            "then", "when", "else", "case", "between", "like", "xor");
    /** Words, also behind digits. */
    private static final Pattern REFUSED = Pattern.compile("(?<![a-z_])("
            + "limit|group|having|distinct|distinctrow|union|intersect|except|over|window|interval|regexp|rlike"
            + "|match|with|recursive|procedure|into|for|lock|sounds|div|mod|current_date|current_time"
            + "|current_timestamp|current_user|current_role|localtime|localtimestamp|utc_date|utc_time"
            + "|utc_timestamp|sysdate|nextval|lastval|next|previous|fetch|rownum|binary|cast|convert|partition"
            + "|table|values|show"
            + ")(?![a-z0-9_])");

    private final SqlAnalyzer analyzer = new SqlAnalyzer();

    /** Returns null for a read that can be compared, or the reason why not. */
    @Nullable
    String unfit(byte[] text) {
        for (int i = 0; i < text.length; i++) {
            if (text[i] < 0 || text[i] == '@' || text[i] == '\\') {
                return "text"; // another character set, or a variable
            }
            if (text[i] == '/' || text[i] == '#' || text[i] == '"' || text[i] == '{') {
                return "text"; // an executed comment, a division, a quote that depends on the sql_mode, a driver's
                // escape
            }
        }
        String normal = analyzer.normalize(text, 0, text.length, SqlModes.NONE).toLowerCase(Locale.ROOT);
        if (normal.length() > LONGEST || !normal.startsWith("select ")) {
            return "shape";
        }
        if (REFUSED.matcher(normal).find()) {
            return "shape";
        }
        Matcher call = CALL.matcher(normal);
        while (call.find()) {
            if (!BEFORE_PARENTHESIS.contains(call.group(1))) {
                return "function";
            }
        }
        return null;
    }
}
