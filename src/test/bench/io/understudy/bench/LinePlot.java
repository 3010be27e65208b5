package io.understudy.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Draws a plot of a few lines as SVG. Each line is labelled at its end, so no legend is needed. */
final class LinePlot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 460;
    private static final int LEFT = 70;
    private static final int RIGHT = 250;
    private static final int TOP = 50;
    private static final int BOTTOM = 55;
    private static final int LABEL_HEIGHT = 16;
    private static final int TICKS = 5;
    private static final String[] COLOURS = {"#b3261e", "#e07a1f", "#b89500", "#1a7f37", "#6e7781", "#0969da", "#8250df"
    };

    private record Line(String name, double[] x, double[] y) {
        double last() {
            return y[y.length - 1];
        }
    }

    private final String title;
    private final String xName;
    private final String yName;
    private final List<Line> lines = new ArrayList<>();

    LinePlot(String title, String xName, String yName) {
        this.title = title;
        this.xName = xName;
        this.yName = yName;
    }

    void add(String name, double[] x, double[] y) {
        lines.add(new Line(name, x.clone(), y.clone()));
    }

    String svg() {
        double maxX = lines.stream()
                .mapToDouble(line -> line.x[line.x.length - 1])
                .max()
                .orElse(1);
        double maxY = round(lines.stream().mapToDouble(Line::last).max().orElse(1));
        StringBuilder svg = new StringBuilder();
        svg.append(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">\n",
                WIDTH, HEIGHT));
        svg.append(format("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", WIDTH, HEIGHT));
        svg.append(format(
                "<text x=\"%d\" y=\"24\" font-size=\"15\" font-weight=\"bold\">%s</text>\n", LEFT, escape(title)));
        for (int i = 0; i <= TICKS; i++) {
            double y = maxY * i / TICKS;
            svg.append(format(
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#d8dee4\"/>"
                            + "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#57606a\">%,.0f</text>\n",
                    LEFT, WIDTH - RIGHT, atY(y, maxY), atY(y, maxY), LEFT - 8, atY(y, maxY) + 4, y));
            double x = maxX * i / TICKS;
            svg.append(format(
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#57606a\">%,.0f</text>\n",
                    atX(x, maxX), HEIGHT - BOTTOM + 18, x));
        }
        svg.append(format(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#57606a\">%s</text>\n",
                (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, escape(xName)));
        svg.append(format(
                "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\" fill=\"#57606a\">%s</text>\n",
                (TOP + HEIGHT - BOTTOM) / 2, escape(yName)));
        draw(svg, maxX, maxY);
        return svg.append("</svg>\n").toString();
    }

    private void draw(StringBuilder svg, double maxX, double maxY) {
        List<Line> byHeight = new ArrayList<>(lines);
        byHeight.sort(Comparator.comparingDouble(Line::last));
        double lowestFree = Double.MAX_VALUE;
        for (Line line : byHeight) {
            String colour = COLOURS[lines.indexOf(line) % COLOURS.length];
            StringBuilder points = new StringBuilder();
            for (int i = 0; i < line.x.length; i++) {
                points.append(format("%.1f,%.1f ", atX(line.x[i], maxX), atY(line.y[i], maxY)));
            }
            svg.append(format(
                    "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n",
                    points.toString().trim(), colour));
            double at = Math.min(atY(line.last(), maxY) + 4, lowestFree);
            lowestFree = at - LABEL_HEIGHT;
            svg.append(format(
                    "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s</text>\n",
                    WIDTH - RIGHT + 8, at, colour, escape(line.name)));
        }
    }

    private static double atX(double x, double max) {
        return LEFT + x / max * (WIDTH - LEFT - RIGHT);
    }

    private static double atY(double y, double max) {
        return HEIGHT - BOTTOM - y / max * (HEIGHT - TOP - BOTTOM);
    }

    /** Returns the next higher number that divides the axis evenly. */
    private static double round(double value) {
        double unit = Math.pow(10, Math.floor(Math.log10(Math.max(1, value)))) / 2;
        return Math.ceil(Math.max(1, value) / unit) * unit;
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
