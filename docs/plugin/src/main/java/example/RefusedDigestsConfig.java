package example;

import io.understudy.base.HasWarnings;
import java.util.List;

/**
 * Section {@code refused-digests}.
 *
 * @param digests as {@code GET /api/digests} and {@code understudy explain} show them
 */
public record RefusedDigestsConfig(List<String> digests) implements HasWarnings {
    public RefusedDigestsConfig {
        digests = digests == null ? List.of() : List.copyOf(digests);
        for (int i = 0; i < digests.size(); i++) {
            if (!digests.get(i).matches("[0-9a-f]{16}")) {
                throw new IllegalArgumentException("digests[" + i + "]: must be 16 hexadecimal digits");
            }
        }
    }

    @Override
    public List<String> warnings() {
        return digests.isEmpty() ? List.of("digests: nothing is refused while the list is empty") : List.of();
    }
}
