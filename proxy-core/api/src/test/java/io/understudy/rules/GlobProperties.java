package io.understudy.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class GlobProperties {

    @Provide
    Arbitrary<String> globs() {
        return Arbitraries.strings().withChars("abAB*?.").ofMaxLength(8);
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings().withChars("abAB*?.").ofMaxLength(10);
    }

    @Property
    void matchesLikeTheEquivalentRegularExpression(
            @ForAll @From("globs") String glob, @ForAll @From("names") String name, @ForAll boolean ignoreCase) {
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
        }
        boolean expected = Pattern.compile(regex.toString(), ignoreCase ? Pattern.CASE_INSENSITIVE : 0)
                .matcher(name)
                .matches();

        assertThat(Glob.matches(glob, name, ignoreCase)).isEqualTo(expected);
    }
}
