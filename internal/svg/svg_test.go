package svg_test

import (
	"encoding/xml"
	"testing"

	"github.com/simtrun/simtrun/internal/svg"
)

func TestNumberHasNoTrailingZeros(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 100: "100", 12.5: "12.5", 1.0 / 3: "0.33", -2.25: "-2.25", 0.999: "1"} {
		if got := svg.Number(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

// TestEscapedTextIsReadBack parses a picture that has special characters in an attribute and in an element.
func TestEscapedTextIsReadBack(t *testing.T) {
	const text = "a<b> & \"c\" 'd' ×\n"
	var got struct {
		ViewBox string `xml:"viewBox,attr"`
		Text    struct {
			Class string `xml:"class,attr"`
			Text  string `xml:",chardata"`
		} `xml:"text"`
	}
	picture := svg.Start(640, 12.5) + `<text class="` + svg.Escape(text) + `">` + svg.Escape(text+"\x01") + "</text></svg>"
	if err := xml.Unmarshal([]byte(picture), &got); err != nil {
		t.Fatalf("%v in %s", err, picture)
	}
	if got.ViewBox != "0 0 640 12.5" || got.Text.Class != text || got.Text.Text != text+"\ufffd" {
		t.Errorf("%+v from %s", got, picture)
	}
}
