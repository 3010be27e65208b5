package io.understudy.plugins.mirror.verify;

import java.util.HashMap;
import java.util.Map;

/** MariaDB's positions as the last number of each domain. */
final class GtidPositions {
    private GtidPositions() {}

    /** Parses {@code 0-1-42,10-1-7}. Of a domain that two servers wrote, the higher number counts. */
    static Map<Long, Long> parse(String position) {
        Map<Long, Long> numbers = new HashMap<>();
        for (String part : position.split(",")) {
            String[] fields = part.strip().split("-");
            if (fields.length == 3) {
                numbers.merge(Long.parseLong(fields[0]), Long.parseUnsignedLong(fields[2]), Math::max);
            }
        }
        return numbers;
    }

    static boolean covers(Map<Long, Long> have, Map<Long, Long> goal) {
        return goal.entrySet().stream().allMatch(entry -> have.getOrDefault(entry.getKey(), 0L) >= entry.getValue());
    }
}
