package io.understudy.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RecentlyUsedTest {
    @Test
    void theEntryThatWasNotUsedForLongestMakesRoom() {
        Map<String, Integer> map = new RecentlyUsed<>(2);
        map.put("a", 1);
        map.put("b", 2);
        assertThat(map.get("a")).isEqualTo(1);
        map.put("c", 3);
        assertThat(map).containsOnlyKeys("a", "c");
    }
}
